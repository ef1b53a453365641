// Makes the tiny writer that tests load, in a virtual environment below `.tiny`. Takes minutes on two cores.
import { python, root } from '../python.mjs'

const venv = process.env.TINY_VENV ?? `${root}.tiny/venv`
python(venv, `${root}scripts/tiny`, 'train.py', ['--out', `${root}test/fixtures/tiny-writer`, ...process.argv.slice(2)])
