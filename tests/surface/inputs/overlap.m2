S The cat sat at mat .
A 3 4|||Prep|||on||in|||REQUIRED|||-NONE-|||0
A 4 4|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 3 4|||Um||||||REQUIRED|||-NONE-|||1

S No error here .

S He go home .
A 1 2|||SVA|||goes||went|||REQUIRED|||-NONE-|||0
A 1 3|||Vt|||went home|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

