import { wordSet } from './word-set.ts'

/**
 * Names that decide an answer wherever they stand. A row is one family; words of a row that are joined by `=` are one
 * name. Names that are everyday words too (`go`, `swift`) count only where the words around them say so.
 */
const FAMILIES: Readonly<Record<string, string>> = {
  programming_language:
    'javascript=js=ecmascript typescript=ts python=py=python3 java kotlin scala groovy clojure c++=cpp c#=csharp f# golang=go rust=rustlang ruby php perl lua haskell erlang elixir ocaml fortran cobol matlab julia dart delphi pascal lisp scheme prolog solidity zig nim crystal assembly vba bash=sh zsh fish powershell sql plsql html css scss sass less latex swift r c awk sed jq wasm',
  language:
    'english french german spanish italian portuguese dutch polish russian ukrainian czech slovak hungarian romanian bulgarian greek turkish arabic hebrew persian=farsi hindi urdu bengali punjabi tamil telugu marathi gujarati kannada malayalam chinese=mandarin cantonese japanese korean vietnamese thai indonesian malay tagalog swahili swedish norwegian danish finnish icelandic irish welsh catalan basque latin sanskrit esperanto serbian croatian slovenian albanian latvian lithuanian estonian',
  system:
    'windows linux macos=osx=mac ubuntu debian fedora centos rhel redhat arch alpine suse opensuse mint kali gentoo nixos freebsd openbsd unix android ios=iphone ipados chromeos raspbian wsl',
  product:
    'docker podman kubernetes=k8s helm terraform ansible puppet chef vagrant jenkins gitlab github bitbucket circleci travis nginx apache caddy haproxy traefik tomcat mysql mariadb postgresql=postgres sqlite mongodb=mongo redis memcached cassandra dynamodb elasticsearch opensearch neo4j oracle mssql snowflake bigquery redshift clickhouse influxdb kafka rabbitmq activemq sqs kinesis spark hadoop flink airflow aws azure gcp heroku netlify vercel firebase supabase lambda ec2 s3 gcs react angular vue vuejs svelte jquery ember nextjs nuxt gatsby django flask fastapi rails laravel symfony express koa nestjs spring hibernate numpy pandas tensorflow pytorch keras sklearn opencv vim neovim emacs vscode intellij eclipse pycharm xcode sublime atom npm yarn pnpm pip conda poetry cargo maven gradle brew=homebrew apt yum dnf pacman snap webpack vite rollup babel eslint prettier jest mocha cypress selenium playwright pytest junit git svn mercurial graphql grpc rest soap json yaml=yml xml csv toml protobuf markdown pdf excel word powerpoint outlook slack teams zoom discord telegram whatsapp facebook instagram twitter tiktok snapchat linkedin reddit quora youtube netflix spotify amazon google apple tesla uber airbnb ebay paypal venmo stripe visa mastercard amex chrome firefox safari edge opera tmux grep rsync scp ssh ftp sftp telnet http https tcp udp mqtt websocket jwt oauth oauth2 saml ldap ssl tls vpn bitcoin ethereum dogecoin chatgpt claude gemini copilot siri alexa bert gpt llama photoshop illustrator figma unity unreal wordpress drupal shopify salesforce jira confluence trello notion',
}

/** Everyday words: names only where the words around them say so. */
const EVERYDAY = wordSet(
  'go swift r c dart scheme lisp less fish crystal julia assembly express flask spring spark puppet chef helm word excel edge opera safari apple ' +
    'amazon oracle grep atom eclipse sublime snap yarn cargo brew rest soap teams zoom slack notion unity lambda visa arch mint chrome polish outlook ' +
    'stripe vite git claude gemini nim zig pip apt sed awk rollup babel jest mocha unreal',
)
const SAYS_NAME_BEFORE = wordSet('in with using use via learn learning versus vs install')
const SAYS_NAME_AFTER = wordSet(
  'code program programs script language function functions class project module modules compiler package developer programming app apps file files server table sheet struct slice channel routine version vs versus',
)

export interface Name {
  readonly family: string
  readonly name: string
  /** It is an everyday word too. */
  readonly everyday: boolean
}

const NAMES = new Map<string, Name>()
for (const [family, row] of Object.entries(FAMILIES))
  for (const group of row.split(' ')) {
    const [name = '', ...others] = group.split('=')
    for (const word of [name, ...others])
      if (!NAMES.has(word)) NAMES.set(word, { family, name, everyday: EVERYDAY.has(word) })
  }

/** The name that a lower-case word is, if it is one. */
export const nameOf = (word: string): Name | undefined => NAMES.get(word)

/** Do the neighbours of an everyday word say that it is a name here? */
export const saysName = (before: string | undefined, after: string | undefined): boolean =>
  (before !== undefined && SAYS_NAME_BEFORE.has(before)) || (after !== undefined && SAYS_NAME_AFTER.has(after))
