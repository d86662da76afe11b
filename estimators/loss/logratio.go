package loss

// stayNear adds log_ratio_coef times the squared log ratio of every token, those included
// that the policy term has left out:
//
//	coef (log pi - log pi_old)^2,
//
// whose derivative with respect to log pi is twice coef times the log ratio. With ratio
// "none" it is DRO, direct reward optimisation,
//
//	-A log pi + beta/2 (log rho)^2 with coef = beta/2,
//
// in verl (core_algos.py, compute_policy_loss_dro), which has no default for beta, and token by
// token the loss of Kimi-1.5 (2501.12599, eq. 3) in ROLL (agentic_actor_pg_worker.py,
// _compute_kimi15_loss), whose tau is 0.1. The equation squares the log ratio of the whole answer.
// prime-rl adds it to DPPO and IPO, coef 1e-3 (loss.py). No bound applies.
func (o *Function) stayNear(t *Tokens, base float64, perLength bool) {
	for s := range t.Sequences() {
		lo, hi := t.Start[s], t.Start[s+1]
		coef := float64(share(base, perLength, hi-lo) * o.LogRatioCoef)
		for k := lo; k < hi; k++ {
			d := t.Logp[k] - t.Old[k]
			t.Loss += float64(coef * float64(d*d))
			t.DLogp[k] += float64(2 * coef * d)
		}
	}
}
