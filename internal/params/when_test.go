package params

import "testing"

type waiting struct {
	Start string  `param:"start" choices:"uniform,zipf"`
	Zipf  float64 `param:"zipf" when:"start=zipf"`
	Arms  int     `param:"arms"`
	Dim   int     `param:"dim"`
	Share float64 `param:"share"`
	Moved float64 `param:"moved" when:"arms>1,dim>0"`
	Slope float64 `param:"slope" when:"share<0.5"`
	Alone int     `param:"alone" when:"train.group=1"`
	Drawn int     `param:"drawn" when:"arms>0,arms>2|share!=0.5"`

	Unknown int `param:"unknown" when:"stop=1"`
	Bare    int `param:"bare" when:"start"`
	Foreign int `param:"foreign" when:"eval.group=1"`
}

func TestUnmet(t *testing.T) {
	c := waiting{Start: "uniform", Arms: 1, Share: 0.5}
	var train struct {
		Group int `param:"group"`
	}
	parts := map[string]any{"train": &train}
	expect := func(want map[string]string) {
		t.Helper()
		for name, condition := range want {
			if got := Unmet(&c, When(&c, name), parts); got != condition {
				t.Errorf("%+v: %s waits for %q, want %q", c, name, got, condition)
			}
		}
	}
	expect(map[string]string{"start": "", "zipf": "start=zipf", "moved": "arms>1", "slope": "share<0.5", "nosuch": "", "alone": "train.group=1", "drawn": "arms>2|share!=0.5"})
	c, train.Group = waiting{Start: "zipf", Arms: 2, Share: 0.49}, 1
	expect(map[string]string{"zipf": "", "moved": "dim>0", "slope": "", "alone": "", "drawn": ""})
	c = waiting{Arms: 3, Share: 0.5}
	expect(map[string]string{"drawn": ""})
	c.Arms, c.Dim = 2, 1
	expect(map[string]string{"moved": ""})
	for _, name := range []string{"unknown", "bare", "foreign"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the tag of %s, which is a mistake, was read", name)
				}
			}()
			Unmet(&c, When(&c, name), parts)
		}()
	}
}

func TestReaders(t *testing.T) {
	type config struct {
		Plain int `param:"plain"`
		Some  int `param:"some" readers:"judge,lessons"`
	}
	fields := Fields(&config{})
	if fields[0].Readers != nil || len(fields[1].Readers) != 2 || fields[1].Readers[1] != "lessons" {
		t.Errorf("readers %q and %q, want none and judge, lessons", fields[0].Readers, fields[1].Readers)
	}
}
