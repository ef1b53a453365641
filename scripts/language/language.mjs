// Fetches what the language model learns from, into a Python environment below `.language`.
import { python, root } from '../python.mjs'

const work = `${root}.language`
python(`${work}/venv`, `${root}scripts/language`, 'texts.py', [work])
