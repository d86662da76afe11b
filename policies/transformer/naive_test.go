package transformer

import "math"

// naive is the model in float64, one row at a time and straight from its
// definition: nothing is shared, cached, packed or left out.
type naive struct {
	*shape
	w []float64
}

func (m naive) tensor(t *tensor) []float64 { return m.w[t.offset : t.offset+t.rows*t.columns] }

func (m naive) norm(x []float64, gain, bias *tensor) []float64 {
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v-mean)/math.Sqrt(square+1e-5)*m.tensor(gain)[i] + m.tensor(bias)[i]
	}
	return out
}

func (m naive) linear(x []float64, l linear) []float64 {
	out := make([]float64, l.weight.columns)
	if l.bias != nil {
		copy(out, m.tensor(l.bias))
	}
	for i, v := range x {
		for j := range out {
			out[j] += v * m.tensor(l.weight)[i*len(out)+j]
		}
	}
	return out
}

func gelu(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

// logits of the rows of one rollout behind a prompt, given each row's features.
func (m naive) logits(prompt, rollout [][]int32) [][]float64 {
	rows := append(append([][]int32(nil), prompt...), rollout...)
	x := make([][]float64, len(rows))
	for i, features := range rows {
		x[i] = make([]float64, m.d)
		for _, f := range features {
			for j := range x[i] {
				x[i][j] += m.tensor(m.embed)[int(f)*m.d+j]
			}
		}
	}
	for l := range m.blocks {
		b := &m.blocks[l]
		qkv := make([][]float64, len(rows))
		for i := range x {
			qkv[i] = m.linear(m.norm(x[i], b.gain1, b.bias1), b.qkv)
		}
		for i := range x {
			sees := i + 1
			if i < len(prompt) {
				sees = len(prompt)
			}
			mixed := make([]float64, m.d)
			for h := range m.heads {
				weights, sum := make([]float64, sees), 0.0
				for j := range weights {
					dot := 0.0
					for e := h * m.hd; e < (h+1)*m.hd; e++ {
						dot += qkv[i][e] * qkv[j][m.d+e]
					}
					weights[j] = math.Exp(dot / math.Sqrt(float64(m.hd)))
					sum += weights[j]
				}
				for j, weight := range weights {
					for e := h * m.hd; e < (h+1)*m.hd; e++ {
						mixed[e] += weight / sum * qkv[j][2*m.d+e]
					}
				}
			}
			for j, v := range m.linear(mixed, b.proj) {
				x[i][j] += v
			}
		}
		for i := range x {
			wide := m.linear(m.norm(x[i], b.gain2, b.bias2), b.fc)
			for j := range wide {
				wide[j] = gelu(wide[j])
			}
			for j, v := range m.linear(wide, b.out) {
				x[i][j] += v
			}
		}
	}
	var out [][]float64
	for _, row := range x[len(prompt):] {
		out = append(out, m.linear(m.norm(row, m.gain, m.bias), m.head))
	}
	return out
}

// logSoftmax turns logits into log-probabilities at a temperature.
func logSoftmax(logits []float64, temperature float64) []float64 {
	top, sum := math.Inf(-1), 0.0
	for _, z := range logits {
		top = max(top, z/temperature)
	}
	for _, z := range logits {
		sum += math.Exp(z/temperature - top)
	}
	out := make([]float64, len(logits))
	for j, z := range logits {
		out[j] = z/temperature - top - math.Log(sum)
	}
	return out
}
