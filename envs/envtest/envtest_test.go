package envtest

import (
	"slices"
	"strings"
	"testing"
)

func TestSoundEnvironmentPasses(t *testing.T) { Run(t, &toy{}) }

// TestEveryFaultIsFound runs the suite over environments that each break one
// promise. The check named for it has to notice; others may too.
func TestEveryFaultIsFound(t *testing.T) {
	for _, c := range []struct{ fault, check, reason string }{
		{"half weights", "info", "w* is a weighted mean"},
		{"one word twice", "info", "a token has one text"},
		{"any split", "requests", "there are four splits"},
		{"any index", "requests", "indices start at 0"},
		{"another problem each time", "repeatable", "a problem is a function of split and index"},
		{"one id for all splits", "splits", "splits are disjoint"},
		{"shared scratch", "concurrent", "Problem is safe for concurrent use"},
		{"odd prompt", "document", "prompts are written in the vocabulary"},
		{"reserved field", "document", "the suite's own entries of the document are taken"},
		{"no picture", "document", "every problem can be drawn"},
		{"too long", "cursor", "MaxAnswer bounds every answer"},
		{"descending", "cursor", "legal tokens ascend"},
		{"stuck", "cursor", "no legal token exactly when done"},
		{"takes anything", "cursor", "illegal tokens are refused"},
		{"counts refusals", "cursor", "a refused token changes nothing"},
		{"key overwrites", "cursor", "AppendState appends"},
		{"refuses y", "cursor", "what is listed as legal is accepted"},
		{"key is blind", "markov", "one key, one set of legal tokens"},
		{"key looks ahead", "markov", "key and token determine the next key"},
		{"stops early", "demonstrations", "demonstrations are complete"},
		{"illegal demonstration", "demonstrations", "demonstrations are legal"},
		{"own dice", "demonstrations", "a demonstration is a function of its stream"},
		{"skewed prior", "prior", "frequencies follow the prior"},
		{"impossible demonstrated", "prior", "what is demonstrated is possible"},
		{"infinite prior", "prior", "log-probabilities are finite"},
		{"long prior", "prior", "one entry per legal token"},
		{"reward cut", "verdicts", "one reward per component"},
		{"reward NaN", "verdicts", "rewards are numbers"},
		{"reward of two", "verdicts", "rewards lie in [0, 1]"},
		{"one formal", "info", "there is an entry for each component, or none at all"},
		{"valid without mode", "verdicts", "valid answers have a mode"},
		{"long embedding", "verdicts", "embeddings have unit length"},
		{"no embedding", "verdicts", "where there are embeddings, valid answers have one"},
		{"mute", "verdicts", "where there are votes, valid answers have one"},
		{"rewards what it rejects", "verdicts", "what does not parse earns nothing"},
		{"judges by mood", "verdicts", "a verdict is a function of the answer"},
		{"scribbles", "verdicts", "the judge leaves the answer alone"},
		{"hears y as x", "text", "both forms of an answer have one verdict"},
		{"reads backwards", "text", "an answer's text gives its tokens back"},
		{"reads anything", "garbage", "what does not parse is not read as tokens"},
		{"odd variants", "variants", "one variant, one mode"},
		{"variants unannounced", "verdicts", "Info says whether there are variants"},
		{"one variant", "enumeration", "solutions are counted by their variants"},
		{"guesses", "garbage", "garbage does not parse"},
		{"panics", "garbage", "no text makes the judge panic"},
		{"stops early", "chain", "a chain goes on where the grammar ends an answer"},
		{"hears y as x", "chain", "both forms of a chain have one verdict"},
		{"no tokens", "encoding", "answers hold tokens"},
		{"y is no token", "encoding", "the encoding says which tokens answers hold"},
		{"two positions", "encoding", "the positions of a prompt are bounded"},
		{"no room", "encoding", "features of a position are bounded"},
		{"blind to the prompt", "encoding", "features determine the prompt"},
		{"feature beyond the last", "encoding", "features are numbered below Count"},
		{"negative feature", "encoding", "features are numbered from 0"},
		{"feature twice", "encoding", "a set has a feature once"},
		{"too many features", "encoding", "features of a state are bounded"},
		{"features by mood", "encoding", "features are a function of the state"},
		{"features overwrite", "encoding", "AppendFeatures appends"},
		{"looking takes", "encoding", "looking at a state does not change it"},
		{"too long", "encoding", "rollouts are bounded"},
		{"stops early", "encoding", "imitations are whole rollouts"},
		{"teaches y", "lessons", "lessons are right"},
		{"teaches by mood", "lessons", "a lesson is a function of its stream"},
		{"teaches half an answer", "lessons", "lessons are whole answers"},
		{"mode left out", "truth", "the mode of every correct answer is known"},
		{"mode twice", "truth", "modes are listed once"},
		{"low front", "truth", "nothing lies outside of the front"},
		{"unsorted front", "front", "the front is in lexicographic order"},
		{"dominated vector", "front", "no vector of the front dominates another"},
		{"no front", "front", "some answer is best"},
		{"phantom mode", "enumeration", "every mode has a correct answer"},
		{"phantom front", "enumeration", "every vector of the front is reached"},
		{"miscounted", "enumeration", "solutions are counted"},
		{"draws outside", "drawing", "shapes lie in the picture"},
		{"draws by mood", "drawing", "a drawing is a function of the answers"},
	} {
		s := newSuite(&toy{fault: c.fault}, Problems(2), Walks(30))
		i := slices.IndexFunc(checks, func(k check) bool { return k.name == c.check })
		if err := s.run(checks[i]); err == nil {
			t.Errorf("fault %q: check %q found nothing, though %s", c.fault, c.check, c.reason)
		}
	}
}

func TestOptionsLiftOnePromiseEach(t *testing.T) {
	for _, c := range []struct {
		fault  string
		option Option
	}{
		{"valid without mode", Modeless()},
		{"half weights", FreeWeights()},
	} {
		s := newSuite(&toy{fault: c.fault}, Problems(1), Walks(30), c.option)
		for _, k := range checks {
			if err := s.run(k); err != nil {
				t.Errorf("fault %q is allowed, but check %q reports: %v", c.fault, k.name, err)
			}
		}
	}
}

// TestPinned: the kit accepts the hash it gives, for the environment it gave it
// for and for no other.
func TestPinned(t *testing.T) {
	hash := problemsHash(&toy{})
	if err := newSuite(&toy{}, Pinned(hash)).run(check{find: checkPinned}); err != nil {
		t.Error(err)
	}
	for _, fault := range []string{"odd prompt", "reserved field", "miscounted", "reward cut", "no picture", "stops early", "half weights"} {
		if newSuite(&toy{fault: fault}, Pinned(hash)).run(check{find: checkPinned}) == nil {
			t.Errorf("with the fault %q the problems hash to the same", fault)
		}
	}
}

// TestChiSquare compares with a die worked out by hand: 60 throws, counts
// 5 8 9 8 10 20, statistic 13.4 with 5 degrees of freedom. Rare cells are
// pooled: expectations 50, 5, 3, 2 make the cells 50, 5 and 5.
func TestChiSquare(t *testing.T) {
	sixth := 1.0 / 6
	got, freedom := chiSquare([]int{5, 8, 9, 8, 10, 20}, []float64{sixth, sixth, sixth, sixth, sixth, sixth}, 60)
	if freedom != 5 || got < 13.4-1e-9 || got > 13.4+1e-9 {
		t.Errorf("die: got %v with %d degrees of freedom, want 13.4 with 5", got, freedom)
	}
	// (45-50)^2/50 + (10-5)^2/5 + (1+4-5)^2/5
	got, freedom = chiSquare([]int{1, 45, 10, 4}, []float64{3. / 60, 50. / 60, 5. / 60, 2. / 60}, 60)
	if freedom != 2 || got < 5.5-1e-9 || got > 5.5+1e-9 {
		t.Errorf("pooled: got %v with %d degrees of freedom, want 5.5 with 2", got, freedom)
	}
}

func TestErrorsNameTheProblem(t *testing.T) {
	s := newSuite(&toy{fault: "mute"}, Problems(1))
	err := s.run(check{find: checkVerdicts})
	if err == nil || !strings.HasPrefix(err.Error(), "pretrain problem 0: answer [") {
		t.Errorf("got %v, want an error that begins with the problem and the answer", err)
	}
}
