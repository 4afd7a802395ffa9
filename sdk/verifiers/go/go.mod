module example.com/latchkeylease

go 1.18
