// Runs the recipes of the models with Python, in a virtual environment of their own. Needs python3 with venv, and PyPI.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

function run(command, args) {
  // Two threads whatever the machine has: sums in another order would be another model.
  const threads = { OMP_NUM_THREADS: '2', OPENBLAS_NUM_THREADS: '2' }
  const env = { ...process.env, ...threads }
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  if (error) console.error(`${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

/** Runs a script of a folder that holds `requirements.txt`; makes the environment where there is none. Ends where the script fails. */
export function python(venv, folder, script, args = []) {
  if (!existsSync(`${venv}/bin/python`)) {
    run('python3', ['-m', 'venv', venv])
    run(`${venv}/bin/pip`, ['install', '--quiet', '--no-deps', '-r', `${folder}/requirements.txt`])
  }
  run(`${venv}/bin/python`, [`${folder}/${script}`, ...args])
}
