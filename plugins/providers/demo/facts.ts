/** What the demo knows. */
interface Fact {
  readonly topic: string
  /** The words that point here; two words must both be there. */
  readonly cues: readonly string[]
  readonly answer: string
}

export const FACTS: readonly Fact[] = [
  {
    topic: 'HTTP status codes',
    cues: ['status code', 'http status', '404', '500 error'],
    answer:
      'The first digit of an HTTP status tells the kind: 2xx worked, 3xx look elsewhere, 4xx the request is at fault, 5xx the server is. 404 means that nothing lives at that address, 401 that you must say who you are, 403 that it does not help.',
  },
  {
    topic: 'rate limits',
    cues: ['rate limit', '429', 'too many requests', 'retry-after'],
    answer:
      'Status 429 means that you called too often. Wait as long as the Retry-After header says (seconds or a date), then try again; without the header, double the wait each time and add some chance to it, so that not all clients return at once.',
  },
  {
    topic: 'HTTP caching',
    cues: ['cache-control', 'http cache', 'http caching', 'max-age'],
    answer:
      'Cache-Control says who may keep a response and for how long: max-age=60 allows a minute, no-cache allows keeping but demands a check before use, no-store forbids keeping, and private keeps shared caches out.',
  },
  {
    topic: 'ETags',
    cues: ['etag', 'if-none-match', '304'],
    answer:
      'An ETag is a label for one version of a resource. Send it back in If-None-Match, and the server answers 304 without a body while the version is still the same.',
  },
  {
    topic: 'semantic caching',
    cues: ['semantic cache', 'semantic caching', 'embedding'],
    answer:
      'A semantic cache turns each question into a vector and reuses an answer when a new vector points almost the same way. It needs guards: questions that differ only in a number or a "not" lie close together and mean something else.',
  },
  {
    topic: 'caches',
    cues: ['cache', 'caching', 'cached'],
    answer:
      'A cache keeps the result of slow work under a key made of everything that shaped it. A good one knows when an entry is too old, how large it may grow, and what to throw out first.',
  },
  {
    topic: 'deflector',
    cues: ['deflector', 'deflection', 'this gateway'],
    answer:
      'deflector stands between your tools and the model vendors. It answers what it has answered before from its own cache and sends the rest on, with retries, several keys and other vendors to fall back to. Send the same prompt twice and look at the X-Service-Layer header.',
  },
  {
    topic: 'HTTP methods',
    cues: ['http method', 'get and post', 'idempotent', 'put and patch'],
    answer:
      'GET reads and changes nothing, PUT replaces a resource, PATCH changes parts of it, DELETE removes it, and POST does anything else. All but POST and PATCH are idempotent: sending them twice does no more than once.',
  },
  {
    topic: 'REST',
    cues: ['rest api', 'restful'],
    answer:
      'In a REST API each thing has an address, the HTTP methods say what to do with it, and every request carries all that the server needs to know, so that any server can answer it.',
  },
  {
    topic: 'server-sent events',
    cues: ['server-sent events', 'sse', 'event stream'],
    answer:
      'Server-sent events are one long HTTP response of type text/event-stream: lines that begin with "data:", and a blank line after each event. Models use them to send an answer word by word.',
  },
  {
    topic: 'WebSockets',
    cues: ['websocket', 'websockets'],
    answer:
      'A WebSocket starts as an HTTP request that asks for an upgrade; after status 101 both sides may send messages at any time. For a stream that only goes from server to client, server-sent events are simpler.',
  },
  {
    topic: 'TLS',
    cues: ['tls', 'https', 'certificate'],
    answer:
      'HTTPS is HTTP inside TLS. The server proves its name with a certificate that an authority signed, both sides agree on a fresh key, and from then on nobody on the way can read or change a byte.',
  },
  {
    topic: 'DNS',
    cues: ['dns', 'domain name'],
    answer:
      'DNS finds addresses for names. A resolver asks the root, then the servers of the top-level domain, then those of the domain itself, and keeps each answer for as long as its TTL allows.',
  },
  {
    topic: 'CORS',
    cues: ['cors', 'cross-origin'],
    answer:
      'CORS lets a server tell browsers which other sites may read its answers, with Access-Control-Allow-Origin. It protects users of browsers; it does not protect the server.',
  },
  {
    topic: 'undoing a git commit',
    cues: ['undo commit', 'undo last commit', 'git reset', 'git revert', 'revert commit'],
    answer:
      'To take back the last commit and keep its changes: git reset --soft HEAD~1. If others already have the commit, use git revert, which adds a new commit that does the opposite.',
  },
  {
    topic: 'git rebase and merge',
    cues: ['rebase', 'git merge'],
    answer:
      'A merge joins two lines of history with a commit that has two parents. A rebase writes your commits anew on top of the other line: the history reads straight, but the commits are new ones, so leave those alone that others have.',
  },
  {
    topic: 'git branches',
    cues: ['git branch', 'create branch', 'new branch'],
    answer:
      'git switch -c my-branch makes a branch and moves you onto it; git switch main brings you back. A branch is only a name for a commit.',
  },
  {
    topic: 'git',
    cues: ['git'],
    answer:
      'git keeps snapshots of a folder. git add chooses what belongs to the next snapshot, git commit takes it, git log shows them, and git push sends them to the others.',
  },
  {
    topic: 'JSON',
    cues: ['json'],
    answer:
      'JSON has objects, arrays, strings, numbers, true, false and null. There are no comments and no commas after the last member, and integers beyond 2^53 lose digits in many parsers.',
  },
  {
    topic: 'tokens',
    cues: ['token', 'tokens', 'context window'],
    answer:
      'A model reads text in tokens, pieces of about four English characters. What you send and what it writes both count, for the price and for the context window.',
  },
  {
    topic: 'temperature',
    cues: ['temperature', 'top_p'],
    answer:
      'Temperature says how freely a model chooses among likely next tokens. Near 0 it nearly always takes the likeliest, which suits code and caches; near 1 it varies more.',
  },
  {
    topic: 'Docker',
    cues: ['docker', 'container'],
    answer:
      'A container is a process with its own view of files, network and users; an image is the file system that it starts from. docker run -p 8080:8080 image starts one and opens a port of it.',
  },
  {
    topic: 'regular expressions',
    cues: ['regex', 'regular expression'],
    answer:
      'A regular expression describes text: \\d is a digit, + means one or more, ? makes the thing before it optional, and ( ) groups. Beware of nested repeats such as (a+)+, which can take for ever.',
  },
  {
    topic: 'binary search',
    cues: ['binary search', 'big o'],
    answer:
      'Binary search finds a value in a sorted list by looking at the middle and dropping the half where it cannot be. Each look halves the rest, so a million entries need about twenty.',
  },
  {
    topic: 'processes and threads',
    cues: ['thread', 'threads', 'race condition'],
    answer:
      'Processes have memory of their own; threads of one process share it. Sharing is fast and dangerous: two threads that change the same thing without a lock can each undo what the other did.',
  },
  {
    topic: 'SQL joins',
    cues: ['sql', 'inner join', 'left join'],
    answer:
      'An inner join keeps pairs of rows that match; a left join also keeps rows on the left that match nothing, with nulls beside them. An index on the joined columns makes either fast.',
  },
]

/** The fact with the most cues in the text; of two with as many, the one whose cues are longer. */
export function findFact(text: string): Fact | undefined {
  const words = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_.-]+/gu, ' ')
    .replace(/[.-]+(?= |$)/g, '')
    .trim()} `
  let best: { fact: Fact; score: number } | undefined
  for (const fact of FACTS) {
    let score = 0
    for (const cue of fact.cues) if (cue.split(' ').every(word => hasWord(words, word))) score += cue.length
    if (score > (best?.score ?? 0)) best = { fact, score }
  }
  return best?.fact
}

const hasWord = (words: string, word: string): boolean => words.includes(` ${word} `) || words.includes(` ${word}s `)
