// Makes the pair model, in a virtual environment below `.pair`: data, training, export, screen. Needs `../shared/data`.
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
  const made = ['first', 'second', 'third'].flatMap(round => [`${round}.jsonl.gz`, `${round}.pkl`, `${round}.pkl.part`])
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
/** Pairs of the same sources, with changes drawn anew, and training on some of them from the weights so far. */
function more(name, start, { seed, epochs, rate }) {
  const [data, out] = [`${work}/${name}.jsonl.gz`, `${work}/${name}.pkl`]
  step(`${name} pairs`, data, 'data.py', ['--near', near, '--out', data, '--seed', seed])
  const gently = ['--epochs', epochs, '--rate', rate, '--smooth', '0.015', '--seed', seed]
  train(`${name} training`, out, ['--data', data, '--start', start, ...gently])
  return out
}
const [pairs, first] = [`${work}/first.jsonl.gz`, `${work}/first.pkl`]
step('first pairs', pairs, 'data.py', ['--near', near, '--out', pairs])
train('first training', first, ['--data', pairs, '--rate', '8e-5'])
const second = more('second', first, { seed: '3', epochs: '0.5', rate: '5e-5' })
const third = more('third', second, { seed: '7', epochs: '0.42', rate: '4.5e-5' })
// Always: the repository comes with one.
console.log('the graph ...')
// Their mean ranks better than either.
run('export.py', ['--weights', second, third, '--base', base, '--out', `${model}/onnx/model_quantized.onnx`])
console.log('the screen ...')
run('screen.py', ['--work', work, '--base', base, '--out', `${model}/screen.bin`])
console.log('the instructions ...')
run('instructions.py', ['--out', `${model}/instructions.json`])
