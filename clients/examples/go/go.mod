module posed.example/hud

go 1.20
