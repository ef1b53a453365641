import { stem } from './stem.ts'

/** Words that mostly ask for the same answer. Only the verifier reads them, as a hint: never a key. */
const GROUPS = `
delete remove erase drop discard
create make build generate set
show display list print view see
begin start launch initiate
stop end terminate halt cancel quit
fix repair solve resolve correct
buy purchase order
big large huge
small little tiny
fast quick rapid speedy quickly
faster quicker
fastest quickest
repo repository
dir directory folder
file document
change modify update edit alter switch
find locate search look
get retrieve obtain fetch receive
use utilize utilise employ
help support assist
error bug issue problem fault
difference differ distinguish compare comparison distinction versus
explain describe define meaning
advantage benefit pro
disadvantage drawback con
cost price fee charge expensive
pay payment
money cash funds
phone mobile cell cellphone telephone smartphone
car vehicle auto
job work career occupation employment
kid child
movie film
picture photo image
shop store
trip travel journey
learn study master
improve increase enhance boost better
increase raise
reduce decrease lower
allow permit let enable
need require must
happen occur
important essential crucial significant
type kind sort category
method way approach technique procedure process
reason cause why
answer reply response respond
ask question query inquire
quit exit leave
copy duplicate clone
join merge combine concatenate
install setup
run execute
test check verify validate
lose lost misplace
steal theft stolen
location place where
begin commence
choose select pick
near nearby close
idea suggestion tip advice recommendation
recommend suggest advise
earn make gain
country nation
war conflict
doctor physician
lawyer attorney
restart reboot
write compose draft
turn switch
contest fight dispute appeal
exchange swap
couch sofa
urine pee
smell odor odour scent
abroad overseas
often frequently regularly
soccer football
spread transmit transmission
damaged broken
item product article
discount promo coupon
customer client
compute calculate
convert parse
trash garbage rubbish waste
apartment flat
plane airplane aircraft
taxi cab
vacation holiday
recover restore retrieve
bigger larger greater
illness disease sickness
drug medication medicine
begin starting
identify determine recognise recognize
ship deliver delivery shipping shipment
return refund send
package parcel order shipment
account profile membership subscription plan
register signup enroll enrol join
login signin
wrong incorrect mistaken
right correct
delay late slow
card
decline reject refuse deny
verify verification identity identification
currency exchange
contact reach call
quickly fast
arrive come
recursive recursively subdirectory subfolder tree
current present working cwd
word term
max maximum
min minimum
average mean
text string
array list
func function method
param parameter argument
display output
count number amount total
age old
author writer wrote
wife spouse
begin origin
`
const GROUP_OF = new Map<string, number[]>()
for (const [i, row] of GROUPS.trim().split('\n').entries())
  for (const word of row.split(' ')) GROUP_OF.set(stem(word), [...(GROUP_OF.get(stem(word)) ?? []), i])

/** Do these two stems stand in one group? */
export function areSynonyms(a: string, b: string): boolean {
  const groups = GROUP_OF.get(a)
  return groups !== undefined && (GROUP_OF.get(b)?.some(group => groups.includes(group)) ?? false)
}
