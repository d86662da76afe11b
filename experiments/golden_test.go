package experiments_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// every is a spec that walks every path of the runner: all methods, several
// problems, chains of epochs, arms that share a mode, vector rewards, both
// evaluations, temperature and nucleus.
func every(t testing.TB) *spec.Spec {
	t.Helper()
	text := `title = "all methods"
seeds = 2
[env]
name = "bandit"
arms_per_mode = 2
components = 2
collinearity = 0.3
start = "zipf"
[policy]
sharing = ["problem", "shared"]
[train]
steps = 40
problems = 3
batch = 2
epochs = 2
temperature = 0.9
record_every = 5
[eval]
every = 20
k = [1, 2, 4]
samples = 12
temperature = 0.7
top_p = 0.95
modes = true
`
	for _, m := range estimators.Methods() {
		if m.New().Requirements().MinTokens > 1 {
			continue // solutions has it: here an answer is one token
		}
		text += "[[method]]\nname = \"" + m.Name + "\"\n"
		if m.Trains {
			text += "entropy_coef = 0.01\n"
		}
	}
	spec := exptest.Load(t, "every.toml", text)
	return spec
}

// mazes is a spec with features that the bandit lacks: answers of several tokens, chains under
// every way of sharing parameters, goals, vector rewards from a sampled pool.
func mazes(t testing.TB) *spec.Spec {
	t.Helper()
	spec := exptest.Load(t, "mazes.toml", `
seeds = 2
[env]
name = "maze"
[policy]
context = ["add", "independent", "blind", "found"]
demonstrations = 40
[train]
steps = 6
problems = 3
batch = 2
[eval]
every = 3
k = [1, 2, 4, 7]
samples = 9
temperature = 0.7
enumerate = 0
draws = 16
[[method]]
name = "vpo"
[[method]]
name = "goal-conditioned"
eval = { goals = ["fixed", "random"] }
[[method]]
name = "gdpo"
train = { optimizer = "sgd" }
[[method]]
name = "optimum"
`)
	return spec
}

// solutions is a spec with features that both lack: several environments, variants, priors by
// state, noise on the inputs of estimators, metrics of pools alone.
func solutions(t testing.TB) *spec.Spec {
	t.Helper()
	spec := exptest.Load(t, "solutions.toml", `
seeds = 2
[[env]]
name = "countdown"
[[env]]
name = "multiplication"
[[env]]
name = "polynomial"
[train]
steps = 6
problems = 3
batch = 2
judge_noise = [0, 0.3]
reward_noise = 0.1
[eval]
every = 3
k = [1, 2, 4, 7]
samples = 9
top_p = 0.9
enumerate = 0
[[method]]
name = "base"
[[method]]
name = "grpo@setpo"
[[method]]
name = "setpo+grpo"
[[method]]
name = "poly-epo"
[[method]]
name = "vpo"
`)
	return spec
}

// protocols is a spec of later features: chains that stop and name a final answer,
// votes, dynamic sampling, divergence in the reward, every kind of ratio off-policy,
// minibatches, a schedule, and the other optimisers.
func protocols(t testing.TB) *spec.Spec {
	t.Helper()
	text := `
seeds = 2
[env]
name = "multiplication"
[train]
steps = 6
problems = 3
batch = 2
epochs = 2
minibatches = 2
schedule = "cosine"
warmup = 2
weight_decay = 0.01
clip_norm = 0.2
[eval]
every = 3
k = [1, 2, 4]
samples = 9
enumerate = 0
[[method]]
name = "base"
train = { candidates = 3, stops = true }
[[method]]
name = "vpo"
train = { stops = true }
[[method]]
name = "grpo"
kl_in_reward = true
kl_coef = 0.05
generations = 3
votes = 12
train = { optimizer = "natural", lr = 0.3 }
`
	for _, name := range []string{
		"sd-e2", "grpo-cfl", "evol-rl", "em-rl-token", "remax", "reinforce++", "gpg", "dapo", "setpo+gspo", "cispo", "gmpo",
		"r1-zero-div", "clip-cov", "kl-cov", "pkpo", "set-rl",
	} {
		text += "[[method]]\nname = \"" + name + "\"\n"
	}
	spec := exptest.Load(t, "protocols.toml", text)
	return spec
}

// golden holds the hashes of all records of the specs above but every; goldenMethods has
// those of every, method by method: a new method is a new line, which TestGoldenRecordsOfMethods
// prints. They pin the whole path from problems to checkpoints on every machine: CI runs
// this test under GOAMD64=v1 and v3 and GOMAXPROCS=1 and 2. A change that means to
// alter records raises record.Version (of a transformer's alone transformer.Version)
// and these constants together.
var golden = map[string]string{
	"solutions": "ea43a51f70b29bac8720bdd7c9770174ec60dcb5ef8f8783cb311c4aae344455",
	"protocols": "957bae9b871c70d905404458c115082796d705223643dfbe1d2a2e9b67bad1f9",
	"mazes":     "413386ca7a28e182f7a48e1dc9249681ea5d12fa1f2fb247ed156b600ea0a991",
}

// goldenTransformer is the hash of all records of a transformer on an environment,
// whose checkpoints hold its base policy to its bits too. It is stored in the
// environment's folder.
func goldenTransformer(t *testing.T, env string) string {
	t.Helper()
	hash, err := os.ReadFile(filepath.Join("..", "envs", env, "testdata", "transformer.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(hash))
}

const goldenMethods = `
44c4c1972666b0fad6f4885e85402402abad19e74746a701b8cab110ecfb5038  base
bbfd1feaa463aeb19f0b75e564ecb23f09d069e156fc77fbc2789c3fe90ea092  cispo
dc9dd6b25b62138949aedde9c33d1777480289f7e714450befc764f7ac345393  clip-cov
6c4c54759f85778e82339bcb2ba77b4f49e654346c1985bffcd382fb78e924a5  curverl
0d05b0374375bb0c7e95dcf329e43465f5ac6a1a43a4b12ac0f0d81d9c5c6592  dapo
84b6bc650171b72821c46aff035b9fbbf81062f19ef7afe0ea45485d598fcbe9  dapo@setpo
584bc1a24ee7fa953f9338f05d6e0d283dfc655fee57af68a70dcee367410ec5  darling
2a1b93ee473df5d40bb0c6186a794a2307468341435cd6c0c5813d9c0350869a  dg
9d542504f63a5a8711ab9accb1f680e7bede31cb6b3c514a281cf98cf12d6b7d  differential-smoothing
6a88e03d06f079bd3f29cccd953c857d2cb87b88fa8f021d1a42ea2c1819a198  dph-alpha
6a5205976326056d2fe292fa6922779219c5ff97a599d1ba57e212ea1f3bce8c  dph-forward
59b5b0082d6abedb41dec05003f9b9d7b46ca6e89a715f0dd846353d6a1f2d14  dph-js
38c5b900b3785a7935a5e3ba2b4ee5b5041f51f39b4050af3bef1967b74ae92f  dppo-kl
92235dd9b96987dbfdda82966a8d0990878c4577c8c3dca493536d6b9712ffcc  dppo-tv
9f08842bab121b2214535d0f0061e6e4227f43b0f055bb77e1ff6eb3a6b8f0b4  dppo-tv@prime
c8114e96b80c9ff5e4a3e83f3b97fbe9064e68d9d801f3de82aadaa2d7aa46b1  dr-grpo
12119730292d72e68e57c52ad2cc7cbb230ca2e008519437970d43bb69920ba2  dra-grpo
67a7cfe77fb0df61a402f03bbb92554d939f8847e4c875c397093bd5b51b42e3  dro
72c94e99881c97c22b22b97ec3ead1098e721939cc481d3ba2ebe178dbb77974  em-rl-sequence
17f789d8fbbeb8d043dc53a2823c895292444502578fb70ea6bfe99f033e2205  entropy-adaptive
374c31bc58c13d5c4090589841d18a5b838d5fe17bce59650f6d2d2419f4e2f2  entropy-bonus
b98d45e6bef009a48e23a252fa8cf301f7b9000b825e4a6975cd3c47497428d1  entropy-shaped
a52fd996aafd88b7083202649c74ecb0bf6064cd30aa4b765b7af9a81d650aa7  evol-rl
161feaa296a2ac1f63b89ad0e451a5a99b7d34698f7a0b0c8a47858d1c34cb18  evol-rl-cliphigh
5a890b79de181cb10a1366afee71bcc5ce607f523e491e8e38652b8b4c82500e  evol-rl-cliphigh-ent
fd5b7f42abfb6534ad07953fe11569fdf2e2d5b1cd86d78ee055133372f661a9  evol-rl-ent
47ffb930b31a7e204d3ba4ffc8588fbf3c80417dca26cce1d637e00e36f036d4  evol-rl-novelty
a4412a1b083127a44c2d9cbcd2bc581a9cfc7ff2f9a7f70defc3bd31cc429fda  evol-rl@code
5b6a3b8b3483d622662b8bf523f925fb56b232c555b1e56fc26f6ce5d53da69d  f-grpo
6cf514fca8d59a0c612bd916f0abfccffed096e5d14f3303690cae12decaa4d7  flowrl-vargrad
eb08937c29dd2fda8dfd9dbf7012ff023e6ce626e7b78aee2d18319ec2fbead6  forking-tokens
924fb400218e3c9d4e6e0607213520e5af1fd4273875555717ace42eb2a7ebb7  gdpo
3b77a3010d29a2a023fe2bd3609152574bc506ddf37901ef942febd6c73d51e8  gdpo@code
690bc9170c255422a41b38e80b301cf13154c4d8d5c876d3dbd4668ec261d45f  gdpo@verl
dadedb683dc3f3f4707fd80bc3e607da53cfa68e9cce4d841809ec6775dbb3cd  gmpo
ed06242050d2fabb417300331dc3f10253f41e24d4452f6d9ccbedd37a058e56  goal-conditioned
819ec018a86e57520d690a8e30cb1b27ea7fe1518067cdfc1a0da6acfc39042a  gpg
ef42f4cfb5ea731529cdda8b3f47aa7014e1e9f75699aea0ff1fc4b034549268  gpg@verl
dd368e147e6dad5288cfbeed0b6f33c1fb4ffc1eab5491a2d5d606bc691634ce  grpo
b2f34399423280a481b4d3741185054fa52754b3dcf85aecccc9d98f9af281ed  grpo+cliphigh
e1b131600a42783d48f6f9c14630e180317288c0e73b92f9991dcddad2e08bf0  grpo+cliphigh+ent
f4e073bf66dc3ccb7fff1301639dbe8697d2162f3305c6cb72ac2003c2e68bd9  grpo+cliphigh+ent+novelty
6bee1827a457476c3c5bb250ef0aeb77d5b9693eeb4bb654eff62aa882f28d9d  grpo+ent
ca89a73167c84556094e07cd01fd2073fd4396d0f821bd8edcab565579a976c0  grpo+novelty
4be82378f69c7a7ddd8d66900933d4d31a60dc386e27ecb856f4bfce53ef8a4f  grpo-cfee
626d4adce606acc6e0215a48d2e384d74da2b02e58571d6b46f2742113b607cb  grpo-cfl
ff04be56793e90f3e8cbd5d2b6af5ed12b3b5fe41343538fb85d942fab19fd3e  grpo-div
d706d5f3bde568e400e4963fc32cdd60a198597b965f3a3ac61d716062a9e6ba  grpo-length
01e9a8eb188efea948419af7bf9d7d6eb2e180afc719901439857513e687c0d7  grpo-passk
9ed2040ccf7b988dfc432670af74b407406296851cbae6d108bf91e4bcc328e8  grpo@evol-rl
bf391b3920235bac31665d06acbbf7206fac722907935e4158688e7c7923ce78  grpo@nemo
0fd892b3a39287afbac6667fd368981636038b254c3f443f63c05646b3c02c87  grpo@openrlhf
66c1d7131d7815de9b62f7bba618684659d659c3937ef32c5c5c44ab028446dc  grpo@poly-epo
4190752a003806263656f0974ad9cd0a0d084fa5de3bdb255ece82bc0ef195ec  grpo@prime
8def8e2e0d253c69416f54784fbc33a96f1494501cbff98232228ef0a0ecabc2  grpo@sd-e2
5820cc435bf261b02acf93b32650f33c3670eec86273ba44f4b797f17fa50fbd  grpo@setpo
395ffb5df006621090991a61bce5b01e5a3701be82f8cf4f22e7a0563089c865  grpo@trl
64fcad41d23a9770247e5393c6bdda2f16ac5b582a980fc14985423b63a79f3e  grpo@trl-batch
74d0d27700b28acb0b70d40908564a641f48045b009c279ea0649a00014d0a85  grpo@verl
caf431d1d7f7f4437c5233cf055cef37fa304a7805ac61a8a14b992bcbf46f29  grpo@vpo
e336e81bed991ba0892e28a73879e924f381e78cb8f57a3edbdda8b90e74a5e2  gspo
a8548dc109c42ad00fb4bfa4d95475c22aaf5f8c258fb95a82d82ba5f895f64e  gspo@setpo
323f67e268912dafb3f9be9d516af0bfb12b5758e41542f9a73ab483c6e3f850  intellect-2
64e9ddb2411ee50ddb7220a3bf52ccb629023c21b7b5c5f08c2c955e049f8b63  ipo
fd4a4c5bb9d19aea71b292ffc3af2a43228ea9fbfa3b113635b46aaaf8438da1  kl-cov
764390d7ffc4ea1fae83f036b5b11b5f7414276350defe7e5591c5d3549031a7  luspo
229fbce8400d73191d6d03bebea8d5a030aa6153a604b2a3b33b5032f9d6ecdc  maclaurin
817c02ff53ab9c1ed8f70160ea9de251a2c67ff4e0cc98022145f13cfaa4c9a3  mara
f55ad8ddc55ed6a24819477583281442944fde6feb01973fc76fc625e28d0a4b  max-at-k
0803190f9c948f01a240c48047b3bbb114b1de14ff731c5f687b4988f9198449  max-at-k@code
ff3524667c0fd1527d1381500ee170c6631971fe09143ed24e8abb148132deb2  maxrl
9d389f7d325e6b6089380a3a07e15cf9fb36867304ead57f846d9d042c4191d2  maxrl-clipped
f320b7723492e38c93451706f09efa00febc549d2a59ccccc38b015f77826ffc  maxrl-one-sided
29d9760a73e6c957491a90b84c0a14b51816489c8b9ff6c10f6012204077396d  maxrl-oversample
9b1986607bdb2f0b72d6826c0a9ad1e7af359a442576486d637684177f31c50d  maxrl-vr-cond
8d209e66f3f0f590831d9fc86b8d00bff94ae6aa1eae3e33986569008e5aec8f  mmr-grpo
7a6194036ec42c159716c500e35b1a117ddaf1b8df6096a1e82e1e2a044d434d  multi-rlvr
161f7ce9413154b57e9f1a5a7d9b520fccba9d5c92b26a6b11321afb3ce3f071  multi-rlvr@code
f66b15897a6bbac1f626df287eb315b646ef6243d795527597c612752082a646  nsr
8fc06212e5b7ac80fc08f55c2757a12e9f29f048066ee30e0fc2b8c453a2b242  opo
5663184d15963644ec8d57c7ed6fa60d249a9eb8d840d880cf30a385806fa6f2  opsm
edbf318042d6966a894222afc6c70a19b7545783a32700987278e52598b7d837  optimum
86a3564f7796b49a11e66e36f4983c9e3578b2cb5062c4a43744e88deef2e03b  outcome-batch
0ef155418aabeded449347f5d6d56808472527dd9c3a63027af93274be26a043  outcome-ucb
afe4ce738a2e61d272fd37eb2aa3fca8f7793ab4534e024e6d26cc71143d36fb  outcome-ucb-con
20e9f920e4f7a2cb81109039695fbdeb300329a236ac42bee97357fb6d4262dd  outcome-ucb-mean
bb1d65f7a46099909194901b4763432a13400cb9bef859eecc3b1d376b29441a  pass-n
811d571665acb4b3f3ed2b96b9b0f2b363db4e31aebdb9ae70e963d265d31a5f  passk-training
9a07b3616bd3be7bcd6fc42f42c2acb26192fdb8008b0c4712c800a346d3364f  pkpo
517b7c3e3d1a5968602a3780a40e158a80284c4b700363890fdd67c1bec2314a  poly-epo
309f50b538f6645f8fcc15bf0db95e2b0c130e2356159bfeef38f397fa12a493  psr
2a3ed82c9f8d2178174937e4788caef31caf789aa21219c373fdaaf142449bb5  r1-zero-div
3b02e39297c2ee25cf35ccf7c427de3b76069b124ecb6e1e546a5689b8169dde  random-w
e5c490edc2fc3fd699a6773af7b85221878f17837ec2e6dc0c1e2b14c4c8f2d0  reinforce
6c169ab873e9fcadec5b80bcf99801bd8bbfd5eeb03131b843933e112ca43f85  reinforce++
9870aef4ae1e682401d4946034aa5192157b589fbdd8438b987bf59783fe68f4  reinforce++-baseline
06b1d2e013ca621b889f3d49082f8298a2bddf8e0ebc22b6e53abac3d67a8a13  reinforce++-baseline@openrlhf
2336de6796f62ee7290719a9afd69a7ef7987861f42f95c847a176d6a1e2aa09  reinforce++@openrlhf
5ab8486e9a5f8f03173130e6470edf4ecafee516bedc428fb5721fa33ab2154b  remax
cab22a492ed5056f896e1d5079cbcf70dd2c14d91512f294cb692a6a00822d91  repo-r
5ff647c9f7515521bb3f7b722707c2e550dd40d819b0da24d7daa61cec486bc9  riskpo
aa4d80ba12a79c18b70d2fbdbe0a695999691509d82c4a7f7972169b04bc66ce  rloo
7474a3277d20992235a126f9d21fc60d0de99007aa4ecf1a46f740c7754559e1  rs-grpo
fdd94db77b46111153c456bcac6a7a4f623fd4d9064a088ed544c51daf3b9ff2  sapo
c3c6f51f1521744d2216558b97b4d9f6e2eb7178b30bd268df27163f981f83a8  sd-e2
46ac5789feb1942befb09b4d4e6077257e3e64cafe0762275a3b62e91bd50cfc  self-consistency
4923fa463d0168d8659cdcc807da01df7ce692f7b0d2b139a50dd65d5657fe1f  self-paper
c68a8f1ebe4fa455e0988c70ee55a2303f5c4ad526f5f88d01546ac69223d91a  set-rl
2d4baf587f0ce1be3b34521da164f034de6787906f1ab7c6a161999512bad97f  setpo+dapo
bc1890242d7d8d4d26fd9ac60fa8b2808f2528e343af36ceb36e99adf67f1fe8  setpo+grpo
9046b89d48cebbec55a1aa50fb75011f55366d589baa01a9682bcdd0de7b3224  setpo+gspo
bb1d689357ae11522d6b38f7fd85acd7e4451e73570bfed5571cb6dffbae23d1  simko
373ef630e7abffd18752b57feb732f2a3f9288bf1cb5f189c74badcb1bc4a782  stare
d476bad6480575caeef1b1f78053578d14d7a7649d65a6e13dea737f26190f83  tis@roll
f870743d816fd26c75c66d64488b2bfe0c1532cabc4d448d913d5dd396900805  token-baseline
38a552f3822b18dec9217a08e73bf15de547ae9d2648eaa2a6a28198b3e0d08e  topr
3f242fff93231d2b7016fdd97e413e248ac451f45696f529df45ae26d27aed99  tpo
712ff69377c51f8cd4861862ca9d15df44c581132994c491a96973bc771db877  ttrl
1b0f5ac268cdb0f3bf63cc2d4996374dc43bf937b64cce2ef0b28f3f19d0d66d  ucpo
34848765fe9d9d6d26c7b7f1d11388b7ec5f6648ae62db1430567faa62065b00  uniqueness-aware
605580c2e45245e50c34a85c35ee1997544c15c3bc05b98a5904a88ba65198d9  unlikeliness
51903c584396ead95867b1071d33a516e639ec726aa9944a6b1896df05f77ea8  vespo
9732e6a333ab4c68a29f3a97f90a9c68acfed9d67d0c13c14a149a006598586c  vpo
490aaa0a0e3bc65d6c2e46d18619d761627a038835b08ead1d0bfd1028012fc6  vpo@code
e2fbbaf696a585a55c92b69d83772afbb9ffb5544f5602449969d500570466da  w-reinforce
f04cd22980bd79d4312257af6ef36ae6911197b137d9189d19eddc7b3d9d4ebb  wapo
`

func TestGoldenRecords(t *testing.T) {
	specs := []*spec.Spec{protocols(t)}
	if !testing.Short() { // as under the race detector: one spec has all the concurrency
		specs = append(specs, mazes(t), solutions(t))
	}
	for _, spec := range specs {
		out := t.TempDir()
		run := runSpec(t, spec, out, 8)
		if got := hashOf(t, run, run.Variants); got != golden[spec.Name] {
			t.Errorf("records of %s hash to %s, want %s", spec.Name, got, golden[spec.Name])
		}
		if !testing.Short() {
			compareWithOneJob(t, spec, out)
		}
	}
}

// compareWithOneJob compares all files of a run of eight jobs with those of one job.
func compareWithOneJob(t *testing.T, spec *spec.Spec, eight string) {
	t.Helper()
	one := t.TempDir()
	runSpec(t, spec, one, 1)
	a, b := exptest.Tree(t, one), exptest.Tree(t, eight)
	if len(a) < 5*len(spec.Variants)*spec.Seeds {
		t.Fatalf("only %d files for %d cells", len(a), len(spec.Variants)*spec.Seeds)
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("--jobs 1 and --jobs 8 differ:\n%.2000s", d)
	}
}

// TestGoldenRecordsOfMethods compares the records of every method with its golden hash.
func TestGoldenRecordsOfMethods(t *testing.T) {
	golden := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(goldenMethods)) {
		hash, method, _ := strings.Cut(strings.TrimSpace(line), "  ")
		golden[method] = hash
	}
	run := runSpec(t, every(t), t.TempDir(), 2)
	methods := map[string][]record.Variant{}
	for _, v := range run.Variants {
		methods[v.Method] = append(methods[v.Method], v)
	}
	for method, want := range golden {
		if methods[method] == nil {
			t.Errorf("method %s has a golden hash, %s, and no records", method, want)
		}
	}
	for _, method := range slices.Sorted(maps.Keys(methods)) {
		got := hashOf(t, run, methods[method])
		switch want := golden[method]; want {
		case got:
		case "":
			t.Errorf("method %s has no golden hash; the line to add to goldenMethods is\n%s  %s", method, got, method)
		default:
			t.Errorf("records of method %s hash to %s, want %s", method, got, want)
		}
	}
}

// hashOf is the hash of the records of some variants of a run.
func hashOf(t *testing.T, run *record.Run, variants []record.Variant) string {
	t.Helper()
	h := sha256.New()
	for _, v := range variants {
		for _, ref := range v.Cells {
			done, err := os.ReadFile(filepath.Join(run.Folder(ref), record.DoneFile))
			if err != nil {
				t.Fatal(err)
			}
			h.Write([]byte(v.Label + "\n"))
			h.Write(done)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
