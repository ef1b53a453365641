// Makes (or measures) the built-in embedding model, in a virtual environment below `.distill`.
// Needs two folders of `../shared/data`, and half an hour on two cores; packages are pinned.
import { python, root } from '../python.mjs'

python(process.env.DISTILL_VENV ?? `${root}.distill/venv`, `${root}scripts/distill`, process.argv[2] ?? 'distill.py')
