package policies

// Interpolate fills dst with the parameters (1 - share) base + share trained. At share 0 they are those of
// base exactly, even if training has made some infinite.
func Interpolate[F float32 | float64](dst, base, trained []F, share float64) {
	if share == 0 {
		copy(dst, base)
		return
	}
	for i := range dst {
		dst[i] = F(float64((1-share)*float64(base[i])) + float64(share*float64(trained[i])))
	}
}
