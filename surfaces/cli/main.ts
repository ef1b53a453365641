#!/usr/bin/env node
import { Command, Option } from 'commander'
import { packageVersion } from './package.ts'

// `deflector config show | head`: the reader may close the pipe early, and a terminal may be closed.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', error => {
    if (!('code' in error) || !['EPIPE', 'EIO'].includes(String(error.code))) throw error
  })
}

// The code of a command is loaded when the command runs, so that `--help` is fast.
const run = async (command: () => Promise<void>): Promise<void> => (await import('./failure.ts')).run(command)

const program = new Command('deflector')
  .description('Answers repeated and simple LLM prompts on this machine and forwards the rest.')
  .version(packageVersion())
  .showHelpAfterError('(add --help for what there is)')

program
  .command('up')
  .description('start the gateway')
  .option('--demo', 'answer from the built-in demo provider: no vendor, no key')
  .option(
    '--pipeline <file>',
    'pipeline file (otherwise SERVICE__PIPELINE, ./pipelines/default.yaml, the built-in one)',
  )
  .option('--port <port>', 'port to listen on')
  .option('--host <host>', 'address to listen on')
  .option('--watch', 'reload when the pipeline, the settings or a plugin named by path is written')
  .option('--detach', 'run in the background')
  .addOption(
    new Option('--log-level <level>', 'lowest level that is logged (otherwise the setting log_level)').choices([
      'debug',
      'info',
      'warn',
      'error',
      'silent',
    ]),
  )
  .action(options => run(async () => (await import('./up.ts')).up(options)))

program
  .command('demo')
  .description('start a gateway without any vendor, send it a small workload and show what it deflected')
  .option('--port <port>', 'port to listen on', '8080')
  .option('--exit', 'exit after the table; fails when a request was not answered by the expected layer')
  .action(options => run(async () => (await import('./demo/index.ts')).demo(options)))

program
  .command('check')
  .description('check the settings, the pipeline, every provider and every store, without serving')
  .option('--pipeline <file>', 'pipeline file (otherwise as for "up")')
  .option('--json', 'print JSON')
  .action(options => run(async () => (await import('./check.ts')).check(options)))

program
  .command('reload')
  .description('make the running gateway read its pipeline and settings again')
  .option('--port <port>', 'the gateway on this port, when several are running')
  .option('--pid-file <path>', 'the gateway that wrote this file')
  .action(options => run(async () => (await import('./reload.ts')).reload(options)))

program
  .command('stop')
  .description('stop the running gateway')
  .option('--port <port>', 'the gateway on this port, when several are running')
  .option('--force', 'do not wait for running requests')
  .option('--pid-file <path>', 'the gateway that wrote this file')
  .action(options => run(async () => (await import('./stop.ts')).stop(options)))

program
  .command('mcp')
  .description("offer a running gateway's cache as MCP tools on stdin and stdout")
  .option('--gateway-url <url>', 'the gateway (otherwise the one that the settings describe)')
  .option('--gateway-api-key <key>', 'its key (otherwise gateway_api_key of the settings)')
  .action(options => run(async () => (await import('./mcp.ts')).mcp(options)))

const cache = program.command('cache').description('show, explain and clear the caches of the running gateway')
/** With the options that say which gateway is asked. */
const adminCommand = (parent: Command, usage: string, description: string): Command =>
  parent
    .command(usage)
    .description(description)
    .option('--gateway-url <url>', 'the gateway (otherwise the one that is running here)')
    .option('--gateway-api-key <key>', 'gateway_api_key, or a key with admin = true (otherwise that of the settings)')
    .option('--port <port>', 'the gateway on this port, when several are running')
    .option('--pid-file <path>', 'the gateway that wrote this file')
/** With the options that say which requests are shown. */
const requestsCommand = (usage: string, description: string): Command =>
  adminCommand(program, usage, description)
    .option('--layer <label>', 'only those that this layer answered, such as l1a')
    .option('--status <status>', 'only those with this status; 4 is every 4xx')
    .option('--client <name>', 'only those of this client, such as claude-code')
    .option('--tool <name>', 'only those of this tool, such as curl')
    .option('--model <text>', 'only those in whose model this text stands')
    .option('--key <label>', 'only those with the gateway key of this label')
    .option('--tag <tag>', 'only those with this tag')
const cacheCommand = (usage: string, description: string): Command => adminCommand(cache, usage, description)
cacheCommand('stats', 'print the entries of each cache and its counts since the start').action(options =>
  run(async () => (await import('./cache.ts')).stats(options)),
)
cacheCommand('clear', 'empty every cache').action(options =>
  run(async () => (await import('./cache.ts')).clear(options)),
)
cacheCommand(
  'forget <request-id>',
  'remove the answer that a request was served; after a wrong match, never match the two prompts again',
).action((id, options) => run(async () => (await import('./cache.ts')).forget(id, options)))

cacheCommand('why <prompt> [other]', 'say what the caches would do with a prompt, or with two of them, and why')
  .option('--surface <name>', 'the surface that a client would use (otherwise the first one of the pipeline)')
  .option('--model <model>', 'the model that a client would name (otherwise none)')
  .option('--json', 'print JSON')
  .action((prompt, other, options) => run(async () => (await import('./cache-why.ts')).why(prompt, other, options)))

program
  .command('set-key')
  .description('store the key of a provider, encrypted; it is read from stdin, or asked for on a terminal')
  .requiredOption('--provider <name>', 'the provider, or its vendor')
  .option('--key-file <path>', 'read the key from this file')
  .addOption(new Option('--key <key>', 'the key itself; other processes can see it').conflicts('keyFile'))
  .action(options => run(async () => (await import('./credentials/set-key.ts')).setKey(options)))

adminCommand(program, 'stats', 'print how many requests the running gateway had, and which layers answered them')
  .option('--by-tool', 'print hits, misses, latency, retries and errors of each client tool')
  .option('--usage', 'print what requests cost and what deflections saved, by day and model, and how full limits are')
  .addOption(
    new Option('--by <what>', 'with --usage: by gateway key (principal), key of a vendor, model, tag, tool or layer')
      .choices(['principal', 'key', 'model', 'tag', 'tool', 'layer'])
      .conflicts('byTool'),
  )
  .option('--hours <hours>', 'with --usage: the last so many hours (otherwise usage_window_hours)')
  .option('--json', 'print JSON')
  .action(options =>
    run(async () =>
      options.usage ? (await import('./usage.ts')).usageStats(options) : (await import('./stats.ts')).stats(options),
    ),
  )

adminCommand(program, 'providers', 'print the chain of providers, and how each one is')
  .option('--json', 'print JSON')
  .action(options => run(async () => (await import('./providers.ts')).providers(options)))

requestsCommand('logs', 'print the last requests of the running gateway, newest first')
  .addOption(new Option('--requests').hideHelp())
  .option('--query <text>', 'only those in which this text stands')
  .option('--limit <count>', 'how many', '20')
  .option('--json', 'print JSON, with bodies where the request log is on')
  .action(options => run(async () => (await import('./logs.ts')).logs(options)))

adminCommand(program, 'top', 'show the running gateway live: layers, providers, savings, clients and requests')
  .option('--interval <seconds>', 'from one look to the next', '1')
  .action(options => run(async () => (await import('./top.ts')).top(options)))

requestsCommand('tap', 'print a line for each request of the running gateway as it ends')
  .option('--limit <count>', 'end after so many lines')
  .option('--json', 'print JSON, one request a line')
  .action(options => run(async () => (await import('./tap.ts')).tap(options)))

adminCommand(
  program,
  'explain <request-id>',
  'say which way a request went: each layer, its time and outcome, and vendor calls',
)
  .option('--json', 'print JSON')
  .action((id, options) => run(async () => (await import('./explain-request.ts')).explainRequest(id, options)))

const classifier = program.command('classifier').description('train, measure and explain classifier routing')
classifier
  .command('train')
  .description('make an artifact from labelled prompts, with the embedder of the settings')
  .requiredOption('--input <files...>', 'JSON lines: a prompt, and a label for each head')
  .requiredOption('--output <file>', 'the artifact')
  .option('--seed <number>', 'chooses the part that is held out', '1')
  .option('--heads <names>', 'the labels to learn, with commas (otherwise all of the first line)')
  .action(options => run(async () => (await import('./classifier/train.ts')).train(options)))
classifier
  .command('test')
  .description('print what an artifact makes of labelled prompts')
  .requiredOption('--input <files...>', 'JSON lines, as for "train"')
  .requiredOption('--artifact <file>', 'the artifact')
  .option('--held-out', 'only those that its training held out')
  .action(options => run(async () => (await import('./classifier/test.ts')).test(options)))
classifier
  .command('explain <prompt>')
  .description('print the labels of a prompt, and the rule that fits it under the current settings')
  .option('--artifact <file>', 'another artifact than that of the settings')
  .action((prompt, options) => run(async () => (await import('./classifier/explain.ts')).explain(prompt, options)))

program
  .command('optimise')
  .description(
    'show what the context optimiser would change in a request, read from stdin: deflector optimise < request.json',
  )
  .addOption(
    new Option('--format <name>', 'the wire format of the request (otherwise it is told from its fields)').choices([
      'native',
      'chat-completions',
      'messages',
      'responses',
      'generate-content',
    ]),
  )
  .option('--pipeline <file>', 'pipeline file (otherwise as for "up")')
  .option('--json', 'print JSON, with the body as it would be sent')
  .action(options => run(async () => (await import('./optimise.ts')).optimise(options)))

program
  .command('set-alias')
  .description('give a model another name, in service.toml')
  .requiredOption('--alias <name>', 'the name that clients may use')
  .requiredOption('--model <id>', 'the model that it stands for')
  .action(options => run(async () => (await import('./set-alias.ts')).setAlias(options)))

const auth = program
  .command('auth')
  .description('sign in to a provider, or store its key; encrypted')
  .argument('<provider>', 'the provider, or its vendor')
  .option('--key-file <path>', 'read the key to store from this file')
  .option('--browser', 'sign in with a browser of this machine in place of a code')
  .action((provider, options) => run(async () => (await import('./credentials/auth.ts')).auth(provider, options)))
auth
  .command('status')
  .description('list what is stored, without secrets')
  .action(() => run(async () => (await import('./credentials/auth-status.ts')).authStatus()))
auth
  .command('logout <provider>')
  .description('remove what is stored for a provider')
  .action(provider => run(async () => (await import('./credentials/auth-logout.ts')).authLogout(provider)))

const config = program.command('config').description('show the settings')
config
  .command('show')
  .description('print every setting, its value and the source of the value')
  .option('--json', 'print JSON')
  .action(options => run(async () => (await import('./config-show.ts')).configShow(options)))

if (process.argv[2] === 'pipeline') {
  program.addCommand((await import('./pipeline/index.ts')).pipelineCommand())
} else {
  program.command('pipeline').description('check, show and test pipeline files')
}

await program.parseAsync()
