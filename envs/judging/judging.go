// Package judging judges responses to posed problems, and writes what it finds as the JSON
// that bench judge and bench serve print.
package judging

import (
	"strconv"

	"modebench/envs"
	"modebench/envs/reference"
)

// A Judgement is what is said of one response: a verdict, or those of a chain's answers.
type Judgement struct {
	Posed    *reference.Posed
	Verdicts []*envs.Verdict // one, or those of a chain
	Named    int             // of a chain that stops: which answer is named as final, from 1; 0: none
}

// Judge judges a response.
func Judge(q *reference.Posed, response string) Judgement {
	if q.Chain == nil {
		return Judgement{Posed: q, Verdicts: []*envs.Verdict{q.Problem.JudgeText(response)}}
	}
	return Judgement{Posed: q, Verdicts: q.Chain.JudgeText(response), Named: q.Chain.NamedText(response)}
}

// Fields are the fields that verdicts on a problem have: what its environment provides, the
// embedding only if it is asked for.
func Fields(q *reference.Posed, embeddings bool) envs.Fields {
	has := q.Info.Provides()
	if !embeddings {
		has &^= envs.HasEmbedding
	}
	return has
}

// Append appends the judgement as JSON, with the fields of has: of one answer the object of
// envs.VerdictDocument; of a chain the list of these; of a chain that stops an object with
// the list "answers", the number "named", and "final", the answer that counts, where the
// environment has votes.
func (j *Judgement) Append(dst []byte, has envs.Fields) []byte {
	switch c := j.Posed.Chain; {
	case c == nil:
		return append(j.appendFields(append(dst, '{'), has), '}')
	case c.Stops():
		return append(j.appendFields(append(dst, '{'), has), '}')
	}
	return j.appendList(dst, has)
}

// AppendNamed appends the judgement as a JSON object that begins with the reference of the
// problem, "id". A chain's list of verdicts is its member "answers", whether it stops or not.
func (j *Judgement) AppendNamed(dst []byte, id string, has envs.Fields) []byte {
	dst = append(envs.AppendText(append(dst, `{"id":`...), id), ',')
	return append(j.appendFields(dst, has), '}')
}

// appendFields appends the members of the object.
func (j *Judgement) appendFields(dst []byte, has envs.Fields) []byte {
	c := j.Posed.Chain
	if c == nil {
		return j.appendVerdict(dst, 0, has)
	}
	dst = j.appendList(append(dst, `"answers":`...), has)
	if !c.Stops() {
		return dst
	}
	dst = strconv.AppendInt(append(dst, `,"named":`...), int64(j.Named), 10)
	if has&envs.HasAnswer == 0 {
		return dst
	}
	dst = append(dst, `,"final":`...)
	if v := envs.FinalVerdict(j.Verdicts, j.Named); v != nil && v.Answer != "" {
		return envs.AppendText(dst, v.Answer)
	}
	return append(dst, "null"...)
}

func (j *Judgement) appendList(dst []byte, has envs.Fields) []byte {
	dst = append(dst, '[')
	for i := range j.Verdicts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(j.appendVerdict(append(dst, '{'), i, has), '}')
	}
	return append(dst, ']')
}

// appendVerdict appends the members of a verdict's object.
func (j *Judgement) appendVerdict(dst []byte, i int, has envs.Fields) []byte {
	return j.Verdicts[i].AppendDocument(dst, j.Posed.Weights, has)
}

// AppendFault appends what is said where there is no judgement: {"id": ..., "fault": ...},
// with null for the reference of a line that has none.
func AppendFault(dst []byte, id *string, fault error) []byte {
	dst = append(dst, `{"id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	} else {
		dst = envs.AppendText(dst, *id)
	}
	return append(envs.AppendText(append(dst, `,"fault":`...), fault.Error()), '}')
}
