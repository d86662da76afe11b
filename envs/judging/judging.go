// Package judging judges responses to posed problems, and writes what it finds as the JSON
// that bench judge and bench serve print.
package judging

import (
	"strconv"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/envs/reply"
)

// A Reading is a way to find an answer in a response and to read its writing.
type Reading string

// The readings.
const (
	Strict  Reading = "strict"  // as the prompt asks for it
	Lenient Reading = "lenient" // as models write it: package reply
)

// Readings lists the readings.
func Readings() []Reading { return []Reading{Strict, Lenient} }

// A Judgement of one response is a verdict, or the verdicts of a chain's answers.
type Judgement struct {
	Posed    *reference.Posed
	Verdicts []*envs.Verdict // one, or those of a chain
	Named    int             // of a chain that stops: which answer is named as final, from 1; 0: none
	Class    reply.Class     // the place of the answer of a lenient reading; "" of a strict one, and of a chain's
}

// Judge judges a response. A thought is no answer (reply.Spoken) under either reading, and
// a response that ends in a thought has no answer. The answers of a chain are in numbered
// tags under either reading; the lenient reading reads the text between them leniently.
func Judge(q *reference.Posed, response string, reading Reading) Judgement {
	spoken, err := reply.Spoken(response)
	j := judge(q, spoken, reading)
	if err == nil {
		return j
	}
	for i, v := range j.Verdicts {
		silent := *v
		silent.Err = err
		j.Verdicts[i] = &silent
	}
	return j
}

func judge(q *reference.Posed, response string, reading Reading) Judgement {
	if q.Chain == nil {
		response = reply.Answering(response)
	}
	j := Judgement{Posed: q}
	switch c := q.Chain; {
	case c == nil && reading == Lenient:
		v, class := reply.Judge(q.Problem, response)
		j.Verdicts, j.Class = []*envs.Verdict{v}, class
	case c == nil:
		j.Verdicts = []*envs.Verdict{q.Problem.JudgeText(response)}
	case reading == Lenient:
		j.Verdicts = c.JudgeTextBy(response, func(answer string) *envs.Verdict { return reply.JudgeAnswer(q.Problem, answer) })
		j.Named = c.NamedText(response)
	default:
		j.Verdicts, j.Named = c.JudgeText(response), c.NamedText(response)
	}
	return j
}

// Fields are the fields that verdicts on a problem have: those that its environment
// provides, the embedding only if it is asked for.
func Fields(q *reference.Posed, embeddings bool) envs.Fields {
	has := q.Info.Provides()
	if !embeddings {
		has &^= envs.HasEmbedding
	}
	return has
}

// Append appends the judgement as JSON, with the fields of has: of one answer the object of
// envs.Verdict.AppendDocument, and under a lenient reading "reading", the place of the answer; of a chain
// the list of these; of a chain that stops an object with the list "answers", the number "named",
// and "final", the answer that counts, if the environment has votes.
func (j *Judgement) Append(dst []byte, has envs.Fields) []byte {
	if c := j.Posed.Chain; c != nil && !c.Stops() {
		return j.appendList(dst, has)
	}
	return append(j.appendFields(append(dst, '{'), has), '}')
}

// AppendNamed appends the judgement as a JSON object that begins with the reference of the
// problem, "id". A chain's list of verdicts is its member "answers", whether it stops or not.
func (j *Judgement) AppendNamed(dst []byte, id string, has envs.Fields) []byte {
	dst = append(envs.AppendText(append(dst, `{"id":`...), id), ',')
	return append(j.appendFields(dst, has), '}')
}

func (j *Judgement) appendFields(dst []byte, has envs.Fields) []byte {
	c := j.Posed.Chain
	if c == nil {
		dst = j.Verdicts[0].AppendDocument(dst, j.Posed.Weights, has)
		if j.Class != "" {
			dst = append(append(append(dst, `,"reading":"`...), j.Class...), '"')
		}
		return dst
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
	for i, v := range j.Verdicts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(v.AppendDocument(append(dst, '{'), j.Posed.Weights, has), '}')
	}
	return append(dst, ']')
}

// AppendFault appends the fault in place of a judgement: {"id": ..., "fault": ...}, with
// null for the reference of a line without a reference.
func AppendFault(dst []byte, id *string, fault error) []byte {
	dst = append(dst, `{"id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	} else {
		dst = envs.AppendText(dst, *id)
	}
	return append(envs.AppendText(append(dst, `,"fault":`...), fault.Error()), '}')
}
