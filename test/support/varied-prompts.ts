const WORDS =
  'how do i reset my password please explain the difference between café naïve résumé Ünïcode İstanbul ΣΊΣΥΦΟΣ ﬁne GPU-based ' +
  'antidisestablishmentarianism zzqxv don’t can’t it’s 3.14 2,000 1e-9 C++ node.js user@example.com ~/.ssh/config --force'
const PIECES = [
  ...WORDS.split(' '),
  '日本語のテキスト',
  '我的密码是什么',
  '한국어 문장',
  '𠮷野家',
  'Привет мир',
  'مرحبا بالعالم',
  'नमस्ते दुनिया',
  'שלום',
  '😀',
  '❤️',
  '👩‍👩‍👧‍👦',
  '🇩🇪',
  'e\u0301',
  '\u00a0',
  '\u200b',
  '\t\n',
  'const f = (x: number): string => `${x}`;',
  'SELECT * FROM t WHERE a <> "b" -- c',
  "grep -rn 'a|b' . | xargs sed -i 's/x/y/g'",
  'def f(x):\n    return x ** 2',
  '{"key": [1, 2, null]}',
  '[MASK]',
  '[SEP]',
  '##ing',
  '¿Qué?',
  '“quoted”',
  '…',
  'x'.repeat(120),
]

/** Prompts of all kinds and lengths, the same ones every time: languages, emoji, accents, code, controls. */
export function variedPrompts(count: number): string[] {
  let state = 42
  const below = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  return Array.from({ length: count }, (_, i) => {
    // One in fifty is longer than what is read of it.
    const length = i % 50 === 0 ? 400 : 1 + below(24)
    return Array.from({ length }, () => PIECES[below(PIECES.length)]).join(' ')
  })
}
