import { stem } from './stem.ts'

/** Words that turn an answer round when one stands for the other. Slashes part the sides, commas the words of a side. */
const ROWS = `
enable,activate/disable,deactivate
on/off
up/down
in,into,inside/out,outside
open,unfold/close,shut,fold
start,begin,launch,boot,resume/stop,end,halt,terminate,finish,quit,kill,pause,abort,suspend
add,append,insert,create,make,attach,include,generate,new/remove,delete,drop,erase,exclude,detach,destroy,discard,clear,wipe
install/uninstall,remove
allow,permit,grant,accept,approve/block,deny,forbid,prohibit,refuse,reject,prevent,disallow,revoke,decline,ban
show,display,reveal,expand/hide,conceal,collapse
increase,raise,grow,boost,gain,maximize,maximise,higher,rise,rising,improve,upgrade,enlarge,strengthen/decrease,reduce,lower,shrink,lose,minimize,minimise,drop,fall,falling,worsen,downgrade,cut,weaken
ascending,asc/descending,desc
first,earliest,initial,beginning/last,latest,final,ending
minimum,min,smallest,least,lowest,shortest,fewest,cheapest,minimal,slowest,youngest/maximum,max,largest,most,highest,longest,biggest,greatest,maximal,fastest,oldest
before,previous,prior,preceding,earlier/after,next,following,later,subsequent
above,over/below,under,beneath
left/right
north,northern/south,southern
east,eastern/west,western
push,upload,send,export,put/pull,download,receive,import,fetch
save,keep,retain/discard,delete,lose,revert
lock/unlock
encrypt,encode,compress,zip,pack,serialize,serialise,marshal,minify/decrypt,decode,decompress,unzip,unpack,deserialize,deserialise,unmarshal,extract
connect,join,link,couple/disconnect,leave,unlink,separate,split
merge,combine,unite/split,divide,separate
buy,purchase/sell,rent
borrow/lend,loan
deposit/withdraw,withdrawal
credit/debit
win,pass,succeed,success,winner/lose,fail,failure,loser,failed,failing,passing
passing/failing
true/false
yes/no
required,mandatory,compulsory/optional,voluntary
advantage,benefit,pros,pro,strength,upside,merit/disadvantage,drawback,cons,con,weakness,downside,demerit
positive/negative
good,best,better,great,pros/bad,worst,worse,terrible,poor
cause,reason,why/effect,consequence,fix,fixes,cure,treatment,solution,remedy,result
symptom,sign/treatment,cure,remedy,prevention,cause
old,older,legacy/new,newer,modern
early,earlier/late,later
fast,quick,quickly,rapid/slow,slowly
hot,warm,heat/cold,cool
big,large,huge,long,tall,high,wide,deep,heavy,strong,hard,thick/small,little,tiny,short,low,narrow,shallow,light,weak,soft,thin
hard,difficult,complex,complicated/easy,simple
odd/even
public/private
local/remote,global
internal,inner,inside,indoor/external,outer,outside,outdoor
client,frontend/server,backend
online/offline
synchronous,sync/asynchronous,async
static/dynamic
mutable/immutable
read,get,load,input,receive,parse/write,set,store,output,print,emit,send
request/response
producer,sender,writer,author,seller,teacher,employer,landlord,parent,lender/consumer,receiver,reader,buyer,student,employee,tenant,child,borrower
source,origin/target,destination
horizontal,horizontally/vertical,vertically
row/column
day,daytime,noon,morning,sunrise/night,midnight,evening,sunset
black/white
male,man,boy,husband,father,brother,son,king,uncle,actor,he,him/female,woman,girl,wife,mother,sister,daughter,queen,aunt,actress,she,her
rich,wealthy/poor
legal,lawful/illegal,unlawful
safe,secure/unsafe,dangerous,insecure
alive,live,birth,born/dead,die,death
love,like/hate,dislike
accept/decline
absent/present
always/never
all,every,everyone,everything/none,nobody,nothing
full/empty
encourage,support,for/discourage,oppose,against
attack/defend,defense
import/export
income,revenue,profit/expense,cost,loss
supply/demand
plaintiff/defendant
theory/practice
theoretical/practical
liquid/solid,gas
acid/alkaline,base
major/minor
more/less,fewer
many,much/few,little
wet/dry
front/back,rear
top/bottom
forward,forwards/backward,backwards
enter,entry,arrive,arrival/exit,leave,depart,departure
attract/repel
wake/sleep
stage/unstage
mount/unmount
subscribe/unsubscribe
follow/unfollow
freeze,frozen/thaw,unfreeze
hire/fire
lend/borrow
innocent/guilty
visible/hidden,invisible
vertical/horizontal
unique,distinct/total,duplicate
upper,uppercase,capitalize/lower,lowercase
prefix/suffix
parent/child
master/slave
singular/plural
quantitative/qualitative
inbound,incoming,ingress/outbound,outgoing,egress
lengthen,extend,expand/shorten,shrink,contract
domestic/foreign,international
formal/informal,casual
relevant/irrelevant
possible/impossible
white/brown,black
sunny/rainy
inhale/exhale
ancient/modern
maternal/paternal
type 1/type 2
systolic/diastolic
hyper/hypo
hypertension/hypotension
viral/bacterial
acute/chronic
benign/malignant
`

const OPPOSITES = new Map<string, string[]>()
for (const row of ROWS.trim().split('\n')) {
  const [left = [], right = []] = row.split('/').map(side => side.split(',').map(stem))
  for (const a of left)
    for (const b of right) {
      if (a === b) continue
      OPPOSITES.set(a, [...(OPPOSITES.get(a) ?? []), b])
      OPPOSITES.set(b, [...(OPPOSITES.get(b) ?? []), a])
    }
}

const TURNS = new Set(
  'un in im ir il dis de non a anti under over pre post mis hyper hypo sub super inter intra micro macro re'.split(' '),
)

/** Is a stem of one list the opposite of one of the other, by the table or by a prefix that turns a word round? */
export const areOpposed = (some: readonly string[], others: readonly string[]): boolean =>
  some.some(one => others.some(other => isOpposite(one, other) || isTurned(one, other) || isTurned(other, one)))

const isOpposite = (one: string, other: string): boolean => OPPOSITES.get(one)?.includes(other) === true

const withoutE = (stemmed: string): string => (stemmed.endsWith('e') ? stemmed.slice(0, -1) : stemmed)

/** Is the one the other with a turning prefix or ending? */
function isTurned(short: string, long: string): boolean {
  const own = withoutE(short)
  if (short.length < 3) return false
  if (long.endsWith('less') && long === `${short.endsWith('ful') ? short.slice(0, -3) : short}less`) return true // hopeful, hopeless; driver, driverless
  if (long.length <= own.length) return false
  const other = withoutE(long)
  return other.endsWith(own) && TURNS.has(other.slice(0, other.length - own.length))
}
