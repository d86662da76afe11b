package httpjudge

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"modebench/envs/judging"
	"modebench/envs/reply"
)

type openRLHFRequest struct {
	Query   list[string] `json:"query"`
	Prompts list[string] `json:"prompts"`
	Labels  list[string] `json:"labels"`
}

const wantOpenRLHF = `want {"query": [...], "prompts": [...], "labels": [...]} of texts`

// openRLHF answers as OpenRLHF's client reads it (openrlhf/utils/agent.py, version 0.11.2). A label
// that names no problem is an error of the data, so that the whole request is refused.
func (h *Handler) openRLHF(b *buffer, _ *http.Request) (string, error) {
	var request openRLHFRequest
	err := decode(b.in, &request, wantOpenRLHF)
	switch n := len(request.Query); {
	case err != nil:
		return "", err
	case request.Query == nil:
		err = errors.New("query is missing: " + wantOpenRLHF)
	case request.Prompts == nil:
		err = errors.New("prompts is missing: " + wantOpenRLHF)
	case request.Labels == nil:
		err = errors.New("labels is missing: " + wantOpenRLHF)
	case len(request.Prompts) != n || len(request.Labels) != n:
		err = fmt.Errorf("%d queries, %d prompts and %d labels: want as many of each", n, len(request.Prompts), len(request.Labels))
	case n > h.limits.Items:
		err = fmt.Errorf("%d queries, want at most %d in a request", n, h.limits.Items)
	}
	judged := h.request()
	rewards, correct, modes := make([]float64, len(request.Query)), make([]float64, len(request.Query)), make([]int64, len(request.Query))
	for i := 0; i < len(request.Query) && err == nil; i++ {
		rewards[i], correct[i], modes[i], err = h.reward(judged, &request, i)
	}
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(map[string]any{"rewards": rewards, "scores": rewards, "extra_logs": map[string]any{"acc": correct, "mode": modes}})
	b.out = append(append(b.out, out...), '\n')
	return jsonType, err // of a reward that JSON has no number for
}

// reward is the scalar reward of a response, 1 if it is correct, and the checksum of its mode, -1
// for none; of a chain the means, and the mode of the first answer.
func (h *Handler) reward(judged *request, sent *openRLHFRequest, i int) (reward, correct float64, mode int64, err error) {
	q, err := judged.problem(&item{&sent.Labels[i], &sent.Query[i]})
	if err != nil {
		return 0, 0, 0, fmt.Errorf("labels[%d]: %w", i, err)
	}
	j := judging.Judge(q, Response(sent.Query[i], sent.Prompts[i], q.Prompt()), judging.Lenient)
	h.verdicts.Add(int64(len(j.Verdicts)))
	for _, v := range j.Verdicts {
		reward += v.Scalar(q.Weights) / float64(len(j.Verdicts))
		if v.Correct {
			correct += 1 / float64(len(j.Verdicts))
		}
	}
	mode = -1
	if len(j.Verdicts) > 0 && j.Verdicts[0].Mode != "" {
		mode = int64(crc32.ChecksumIEEE([]byte(j.Verdicts[0].Mode)))
	}
	return reward, correct, mode, nil
}

// Response is the text after the prompt in a query, without the tokens that end it, which OpenRLHF
// decodes with the rest. If decoding has changed the prompt, so that the query does not hold it as
// it was sent, it is the text after the problem's own text: that text shows an example of an
// answer, which must not be taken for the model's. If the prompt ends with the tag of a thought,
// the response begins with that tag: a thought is no answer (reply.Spoken).
func Response(query, prompt, text string) string {
	if _, rest, found := strings.Cut(query, prompt); found {
		query = reply.Opened(prompt) + rest
	} else if _, rest, found := strings.Cut(query, text); found {
		query = rest
	}
	for {
		query = strings.TrimRightFunc(query, unicode.IsSpace)
		last := query[max(0, len(query)-longestEnd):]
		place := endToken.FindStringIndex(last)
		if place == nil || reply.IsThoughtTag(last[place[0]:]) {
			return query
		}
		query = query[:len(query)-len(last)+place[0]]
	}
}

// endToken is a token that ends a response, as models have them.
var endToken = regexp.MustCompile(`(?:</s>|<eos>|<end_of_turn>|<[|｜][^<>]{1,40}[|｜]>)\z`)

// longestEnd is how many bytes such a token has at most.
const longestEnd = 180
