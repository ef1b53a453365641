// Makes the pair model, in a virtual environment below `.pair`: data, training, export. Needs `../shared/data`.
// Each step leaves its result in `.pair`, and a run that was stopped goes on where it was.
// `npm run model:pair -- --fresh` begins anew.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { python, root } from '../python.mjs'

const work = `${root}.pair`
const model = `${root}models/deflector-pair`
const run = (script, args) => python(process.env.PAIR_VENV ?? `${work}/venv`, `${root}scripts/pair`, script, args)

/** Runs a script unless its result is there. */
function step(title, result, script, args) {
  if (existsSync(result)) return console.log(`${title}: done before`)
  console.log(`${title} ...`)
  run(script, args)
}

if (process.argv.includes('--fresh')) {
  const made = ['first', 'second'].flatMap(round => [`${round}.jsonl.gz`, `${round}.pkl`, `${round}.pkl.part`])
  for (const name of ['near.npz', ...made]) rmSync(`${work}/${name}`, { force: true })
}
mkdirSync(`${model}/onnx`, { recursive: true })
mkdirSync(work, { recursive: true })
const base = `${work}/base.safetensors`
step('the base model', base, 'base.py', ['--out', base])
const near = `${work}/near.npz`
/** Half-done weights have a `.part` beside them, with which training goes on. */
function train(title, out, args) {
  if (existsSync(`${out}.part`)) rmSync(out, { force: true })
  step(title, out, 'train.py', ['--base', base, '--out', out, ...args])
}
const [first, second] = [`${work}/first.jsonl.gz`, `${work}/second.jsonl.gz`]
step('pairs', first, 'data.py', ['--near', near, '--out', first])
train('training', `${work}/first.pkl`, ['--data', first, '--rate', '8e-5'])
// Once more over half of other pairs of the same sources: the changes are drawn anew.
step('other pairs', second, 'data.py', ['--near', near, '--out', second, '--seed', '3'])
const gently = ['--epochs', '0.5', '--rate', '5e-5', '--smooth', '0.015', '--seed', '3']
train('more training', `${work}/second.pkl`, ['--data', second, '--start', `${work}/first.pkl`, ...gently])
// Always: the repository comes with one.
console.log('the graph ...')
run('export.py', ['--weights', `${work}/second.pkl`, '--base', base, '--out', `${model}/onnx/model_quantized.onnx`])
