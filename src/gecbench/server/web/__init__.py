"""What people see: pages, forms, who may open them."""
