import fc from 'fast-check'

/** Lines that mean something to a reader of Markdown, and lines that only look so. */
const LINES = [
  ...['', '', '', '', '  ', '\t', 'plain words', 'more words here', 'Words end with two spaces  ', 'a \\'],
  ...['# Title', '## Rules', 'Title', '===', '---', '***', '___', '- - -', '=====', '+++', '--- x', '#'],
  ...['- item', '* item', '+ item', '1. one', '2) two', '- ', '-', '  - nested', '    - deeper', '-     code in item'],
  ...['  continued', '   three', '    four', '      six', '\tindented', '  \ttabbed'],
  ...[
    '```',
    '```js',
    '~~~',
    '~~~~',
    '````',
    '  ```',
    '   ```',
    '    ```',
    '- ```',
    '1. ```',
    '``` a`b',
    '\t```',
    '> ```',
  ],
  ...['const a = 1', '  return a // <!-- in code -->', '# comment of a shell'],
  ...['<!-- a comment -->', '<!-- begins', 'ends -->', 'words <!-- aside --> more', 'tail <!-- aside -->', '<!---->'],
  ...['<!-- a --> text', '  <!-- indented -->', '- <!-- in item -->', '> <!-- quoted -->', '<!-->', '<!-- x -- y -->'],
  ...[
    '`<!-- code -->` and <!-- comment -->',
    'a ` tick <!-- c -->',
    '- a ` tick in an item',
    '- `a <!-- c --> b` in an item <!-- c --> x',
    '# a ` tick in a title',
    '[a](<!-- c -->)',
    '\\<!-- escaped -->',
    'x<!-- c -->y',
  ],
  ...[
    '[ref]: /url',
    '[ref]: /url <!-- c -->',
    'see [ref] and [link](https://a.example/b?c=1 "t")',
    '*em*<!-- c -->*em*',
  ],
  ...[
    '<div>',
    '</div>',
    '<example>',
    '</example>',
    '<b>in line</b>',
    'use <path> here',
    '</path>',
    '<br>',
    'a <ctx> b',
    '</ctx>',
  ],
  ...['<pre>', '</pre>', '<script>', '</script>', '<?php', '?>', '<![CDATA[', ']]>', '<!DOCTYPE html>'],
  ...[
    '> quote',
    '> - quoted item',
    '>',
    '| a | b |',
    '|---|---|',
    '| 1 <!-- c --> | 2 |',
    '--- <!-- c -->',
    '# T # <!-- c -->',
  ],
  ...['name: x', 'description: y', '...', '[^1]: note', '- [ ] todo <!-- c -->', '1. <!-- c -->', '* * *'],
  ...[
    '──────────',
    '═══════',
    '┌────┐',
    '│ Web │',
    '└────┘',
    '╔════╗',
    '║ Rules ║',
    '╚════╝',
    '├── src',
    '└── test',
    '│ - x │',
  ],
]

/** Spaces for a program that Markdown takes for letters, and a byte order mark. */
const OTHER_SPACES = ['\u00a0', '\u000b', '\f', '\u0085', '\u2028', '\u2029', '\u3000', '\ufeff']
const WITH_SPACES = OTHER_SPACES.flatMap(space => [
  ...[space, `\`\`\`${space}`, `${space}~~~`, `${space}---`, `---${space}`, `-${space}item`, `    four${space}`],
  ...[`${space}<!-- an aside -->`, `<!-- an aside -->${space}`, `words${space}<!-- an aside -->`, `>${space}quote`],
])

const line = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...LINES) },
  { weight: 3, arbitrary: fc.constantFrom(...WITH_SPACES) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
)

/** Pieces that belong together, as agents and people write them. */
const PIECES = [
  '---\nname: rules\ndescription: x\n\n\nmore: y\n---\n',
  '```js\nconst a = 1\n\n\n// <!-- kept -->\n---\n```\n',
  '- a\n\n  ```sh\n  ls\n\n\n  pwd\n  ```\n\n\n- b\n',
  '<instructions>\n\n\n# Inner\n\n---\n\n<!-- kept -->\n</instructions>\n',
  '<example>\n```\na\n```\n</example>\n',
  '# Rules\n\n\n\n<!-- for people -->\n\n---\n\nAlways test.\n',
  '- one\n- two\n\n<!-- parts lists -->\n\n- three\n',
  '1. one\n\n---\n\n2. two\n',
  'Text\n<!-- in between -->\nmore text\n',
  '    code\n\n\n    more code\n',
  '<!--\nmany\n\nlines\n-->\n\nAfter\n',
  '╔═════════╗\n║ NEVER push ║\n╚═════════╝\n\n',
  '\n────────\n\n## Next\n',
  '> quoted\n\n\n> again\n',
  '<details>\n<summary>More</summary>\n\n\ntext\n\n\n</details>\n\n\nafter\n',
]

/** Random Markdown: soups of lines, and of pieces that people write. */
export const documents: fc.Arbitrary<string> = fc.oneof(
  fc.array(line, { maxLength: 24 }).map(lines => lines.join('\n')),
  fc.array(fc.oneof(fc.constantFrom(...PIECES), line), { maxLength: 10 }).map(pieces => pieces.join('\n')),
  fc.array(line, { maxLength: 12 }).map(lines => lines.join('\r\n')),
)
