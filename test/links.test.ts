import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { readDocument, root, withoutBlocks } from './support/markdown.ts'

/** Links of the documents: in the package they lead to packed files, in the repository to files of it. */

const listing = z.array(z.object({ files: z.array(z.object({ path: z.string() })) }))

/** What `npm pack` would pack now, without the build. */
function packed(): string[] {
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, npm_config_update_notifier: 'false' },
  })
  const [tarball] = listing.parse(JSON.parse(printed))
  return tarball?.files.map(({ path }) => path) ?? []
}

const FOREIGN = new Set(['node_modules', 'dist', 'out'])

/** Every document of the repository, from its root. */
const everyDocument = (folder = ''): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return FOREIGN.has(entry.name) || entry.name.startsWith('.') ? [] : everyDocument(path)
    return entry.name.endsWith('.md') ? [path] : []
  })

/** Targets of relative links, as paths from the root. */
function targets(file: string): { readonly path: string; readonly anchor: string }[] {
  const prose = withoutBlocks(readDocument(file)).replace(/`[^`]*`(?!\])/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/i.test(target))
    .map(target => {
      const [path = '', anchor = ''] = target.split('#')
      return { path: path === '' ? file : normalize(join(dirname(file), path)).replace(/\/$/, ''), anchor }
    })
}

const anchorsOf = (file: string): string[] =>
  [...withoutBlocks(readDocument(file)).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

const files = packed()
const documents = files.filter(path => path.endsWith('.md'))

test('the package has its documents, its licence and what they are about', () => {
  assert.equal(documents.sort(), [
    'CHANGELOG.md',
    'DECISIONS.md',
    'README.md',
    'models/deflector-language/README.md',
    'models/deflector-pair/README.md',
    'models/deflector-routing/README.md',
    'models/deflector-static-384/README.md',
    'models/deflector-tiers/README.md',
    'pipelines/README.md',
    'plugins/README.md',
  ])
  for (const path of ['LICENSE', 'pipelines/default.yaml', 'package.json']) assert.ok(files.includes(path), path)
})

test('every link of a packed document leads to a packed file', () => {
  const lost = documents.flatMap(document =>
    targets(document)
      .filter(({ path }) => !files.includes(path))
      .map(({ path }) => `${document} links to ${path}`),
  )
  assert.equal(lost, [])
})

test('every link of any document leads to a file or folder of the repository, and to a heading where it names one', () => {
  const all = everyDocument()
  assert.ok(all.includes('ARCHITECTURE.md'))
  const lost = all.flatMap(document =>
    targets(document)
      .filter(
        ({ path, anchor }) => !existsSync(join(root, path)) || (anchor !== '' && !anchorsOf(path).includes(anchor)),
      )
      .map(({ path, anchor }) => `${document} links to ${path}${anchor && `#${anchor}`}`),
  )
  assert.equal(lost, [])
})

test.run()
