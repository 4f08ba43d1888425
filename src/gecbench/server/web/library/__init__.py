"""What the library says in English, said in the language of the person who reads the page."""
