// Makes (or measures) the built-in embedding model with Python, in a virtual environment of its own below `.distill`.
// Needs python3 with venv, PyPI, two folders of `../shared/data`, and half an hour on two cores; packages are pinned.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const venv = process.env.DISTILL_VENV ?? `${root}.distill/venv`
const script = process.argv[2] ?? 'distill.py'

function run(command, args) {
  // Two threads whatever the machine has: sums in another order would be another model.
  const threads = { OMP_NUM_THREADS: '2', OPENBLAS_NUM_THREADS: '2' }
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...threads },
  })
  if (error) console.error(`${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(`${venv}/bin/python`)) {
  run('python3', ['-m', 'venv', venv])
  run(`${venv}/bin/pip`, ['install', '--quiet', '--no-deps', '-r', `${root}scripts/distill/requirements.txt`])
}
run(`${venv}/bin/python`, [`${root}scripts/distill/${script}`])
