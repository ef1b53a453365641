import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { SOURCES } from '../../support/typescript/flags.mjs'
import { startUpstream } from '../../support/upstream.ts'
import { connect, INITIALIZE, type McpClient, thrownBy } from '../mcp/client.ts'

const main = fileURLToPath(new URL('../../../surfaces/cli/main.ts', import.meta.url))
const command = (...flags: string[]): string[] => [...SOURCES, main, 'mcp', ...flags]

interface Stdio extends McpClient {
  /** What it wrote to stderr so far. */
  stderr(): string
}

async function withStdio(
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
  run: (mcp: Stdio) => Promise<void>,
): Promise<void> {
  const { PATH = '' } = process.env
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: command(...flags),
    env: { PATH, ...env },
    stderr: 'pipe',
  })
  let problemsOf = ''
  transport.stderr?.on('data', chunk => {
    problemsOf += chunk
  })
  const mcp = await connect(transport)
  try {
    await run({ ...mcp, stderr: () => problemsOf })
  } finally {
    await mcp.close()
  }
}

async function withGateway(
  settings: Readonly<Record<string, string>>,
  run: (gateway: TestGateway, calls: readonly unknown[]) => Promise<void>,
): Promise<void> {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings })
  try {
    await run(gateway, upstream.calls)
  } finally {
    await gateway.close()
    await upstream.close()
  }
}

test('shares entries with the native chat of a running gateway, and never asks a vendor', () =>
  withGateway({}, (gateway, calls) =>
    withStdio(['--gateway-url', gateway.url], {}, async mcp => {
      const { tools } = await mcp.client.listTools()
      assert.equal(
        tools.map(({ name }) => name),
        ['service_chat', 'service_cache_store'],
      )
      assert.is(await mcp.chat('a heron?'), '')
      assert.is(await mcp.store('a heron?', 'a bird'), 'stored')
      assert.is(await mcp.chat('a heron?'), 'a bird')
      assert.is((await gateway.post('/api/chat', { prompt: 'a heron?' })).json.message, 'a bird')
      assert.is(await mcp.chat('a heron?', 'another-model'), '')
      assert.is(calls.length, 0)
      assert.is(mcp.stderr(), '')
    }),
  ))

test('sends the gateway key, from the flag or from the settings', () =>
  withGateway({ SERVICE__GATEWAY_API_KEY: 'k-1' }, async gateway => {
    const at = ['--gateway-url', `${gateway.url}/`]
    await withStdio([...at, '--gateway-api-key', 'k-1'], {}, async mcp => {
      await mcp.store('a heron?', 'a bird')
      const hit = await gateway.post('/api/chat', { prompt: 'a heron?' }, { 'x-api-key': 'k-1' })
      assert.is(hit.json.message, 'a bird')
    })
    await withStdio(at, { SERVICE__GATEWAY_API_KEY: 'k-1' }, async mcp => {
      assert.is(await mcp.chat('a heron?'), 'a bird')
    })
    await withStdio(at, {}, async mcp => {
      assert.match(await thrownBy(mcp.chat('a heron?')), /needs its key; pass it with --gateway-api-key/)
      assert.match(await thrownBy(mcp.store('a heron?', 'a fish')), /needs its key/)
    })
    await withStdio(at, { SERVICE__GATEWAY_API_KEY: 'k-2' }, async mcp => {
      assert.match(await thrownBy(mcp.chat('a heron?')), /does not know the key that was sent; pass its own with --/)
    })
  }))

test('finds the gateway that the settings describe, and obeys mcp_allow_store', () =>
  withGateway({}, async gateway => {
    const env = { SERVICE__PORT: new URL(gateway.url).port, SERVICE__MCP_ALLOW_STORE: 'false' }
    await withStdio([], env, async mcp => {
      assert.is(await mcp.chat('a heron?'), '')
      assert.match(await thrownBy(mcp.store('a heron?', 'a bird')), /-32602/)
    })
  }))

test('a gateway that is not there is told in the result and on stderr, without the prompt', () =>
  withStdio(['--gateway-url', 'http://127.0.0.1:1'], {}, async mcp => {
    const told = await thrownBy(mcp.chat('a secret'))
    assert.match(told, /the gateway at http:\/\/127\.0\.0\.1:1 cannot be reached/)
    assert.match(mcp.stderr(), /cannot be reached/)
    assert.not.match(mcp.stderr(), /secret/)
  }))

/** Runs the command with this input and waits for its end. */
async function piped(flags: readonly string[], input: string): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, command(...flags), { env: { PATH: process.env.PATH ?? '' } })
  let [out, err] = ['', '']
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    err += chunk
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, out, err }
}

test('stdout holds the protocol only, what was asked is answered, and it ends with its input', () =>
  withGateway({}, async gateway => {
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'service_cache_store', arguments: { prompt: 'a heron?', response: 'a bird' } },
    }
    const lines = [INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' }, call]
    const input = `not json\n${lines.map(line => `${JSON.stringify(line)}\n`).join('')}`
    const { code, out, err } = await piped(['--gateway-url', gateway.url], input)
    assert.is(code, 0)
    const replies = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.equal(
      replies.map(({ jsonrpc, id }) => [jsonrpc, id]),
      [
        ['2.0', 1],
        ['2.0', 2],
      ],
    )
    assert.match(err, /not JSON/)
    assert.is((await gateway.post('/api/chat', { prompt: 'a heron?' })).json.message, 'a bird')
  }))

test('a URL that is none ends it with one line', async () => {
  const { code, out, err } = await piped(['--gateway-url', 'ftp://nowhere'], '')
  assert.is(code, 1)
  assert.is(out, '')
  assert.match(err, /^deflector: --gateway-url: must be an http or https URL.*\n$/)
})

test.run()
