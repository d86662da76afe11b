// Liberation for gonum.org/v1/plot, which would embed all twelve faces: the two that figures use.
module codeberg.org/go-fonts/liberation

go 1.26.0

require github.com/go-fonts/liberation v0.3.3
