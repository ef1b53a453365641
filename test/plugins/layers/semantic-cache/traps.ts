/** Pairs that look alike and have two answers, by what is another on the other side. */
export const TRAPS: Readonly<Record<string, string>> = {
  'another unit': `
How many calories are in an ounce of walnuts? | How many calories are in a gram of walnuts?
Boiling point of water in Celsius | Boiling point of water in Fahrenheit
How tall is the Eiffel tower in feet? | How tall is the Eiffel tower in metres?
Distance from Rome to Milan in miles | Distance from Rome to Milan in kilometres
How much does a litre of milk weigh? | How much does a gallon of milk weigh?
What is the speed of light in miles per second? | What is the speed of light in kilometres per second?
Rent of a studio per week | Rent of a studio per month
Sleep in bash for some seconds | Sleep in bash for some minutes
How many cups are in a quart? | How many pints are in a quart?
What is the area of Texas in acres? | What is the area of Texas in hectares?
How heavy is an elephant in tons? | How heavy is an elephant in pounds?
`,
  'another currency': `
How much does a visa cost in dollars? | How much does a visa cost in euros?
Convert pounds sterling to dollars | Convert pounds sterling to euros
Average salary of a nurse in rupees | Average salary of a nurse in dollars
Can I pay in Swiss francs? | Can I pay in Norwegian kroner?
Open an account in yen | Open an account in pesos
Price of gold in euros | Price of gold in pounds
Can I hold a balance in GBP? | Can I hold a balance in USD?
Top up with AUD | Top up with CAD
`,
  'another comparison': `
Which country is larger, Mali or Niger? | Which country is smaller, Mali or Niger?
Is a leopard faster than a lion? | Is a leopard slower than a lion?
Which phone has a better camera? | Which phone has a worse camera?
Is gold more expensive than platinum? | Is gold less expensive than platinum?
Cities warmer than Madrid | Cities colder than Madrid
Who is taller, Anna or Maria? | Who is shorter, Anna or Maria?
Which is the deepest lake in Europe? | Which is the shallowest lake in Europe?
What is the easiest language to learn? | What is the hardest language to learn?
Which is the richest county in England? | Which is the poorest county in England?
What is the largest desert in Asia? | What is the second largest desert in Asia?
What is a large dog breed? | What is the largest dog breed?
Which mountain is the highest in Peru? | Which mountain is the most dangerous in Peru?
`,
  'another direction': `
Train from Bremen to Hamburg | Train from Hamburg to Bremen
Convert PDF to Word | Convert Word to PDF
How do I migrate from Angular to React? | How do I migrate from React to Angular?
Translate from Danish to Polish | Translate from Polish to Danish
How do I move files from Dropbox to OneDrive? | How do I move files from OneDrive to Dropbox?
Copy a table from Postgres into SQLite | Copy a table from SQLite into Postgres
How do I convert a list to a tuple? | How do I convert a tuple to a list?
Convert binary into hexadecimal | Convert hexadecimal into binary
How do I get to the airport? | How do I get from the airport?
How do I import contacts from Outlook? | How do I import contacts to Outlook?
Send money to Ghana | Send money from Ghana
How do I fly to Lisbon? | How do I fly from Lisbon?
`,
  'other roles': `
The dog bit the man: write a headline | The man bit the dog: write a headline
Did Athens defeat Sparta? | Did Sparta defeat Athens?
Was Rome founded by Greeks? | Was Greece founded by Romans?
Can a landlord sue a tenant? | Can a tenant sue a landlord?
Can cats infect humans? | Can humans infect cats?
Did Google buy Motorola? | Was Google bought by Motorola?
Who did Brutus kill? | Who killed Brutus?
Who taught Plato? | Who did Plato teach?
What do sharks eat? | What eats sharks?
Which company owns Audi? | Which company does Audi own?
Who loves Juliet? | Who does Juliet love?
Why did Hamlet kill Polonius? | Why did Polonius kill Hamlet?
`,
  'the other end': `
Who was the first king of Spain? | Who was the last king of Spain?
First chapter of Moby Dick | Final chapter of Moby Dick
How do I get the first character of a string? | How do I get the last character of a string?
Remove the first element of a list | Remove the last element of a list
What was the first Beatles album? | What was the final Beatles album?
Print the top of a file | Print the bottom of a file
When does the first bus leave? | When does the last bus leave?
Who spoke first at the trial? | Who spoke last at the trial?
What is the opening line of the novel? | What is the closing line of the novel?
`,
  'another time beside an event': `
What should I eat before a run? | What should I eat after a run?
What happened before the Big Bang? | What happened after the Big Bang?
Can I swim before eating? | Can I swim after eating?
Insert a line before a match with sed | Insert a line after a match with sed
Stretching before training | Stretching after training
Can I drink coffee during fasting? | Can I drink coffee after fasting?
Do I pay before delivery? | Do I pay on delivery?
Who ruled Egypt before Cleopatra? | Who ruled Egypt after Cleopatra?
Can I cancel before the trial ends? | Can I cancel after the trial ends?
Files created since the last commit | Files created until the last commit
`,
  'another thing': `
who wrote the iliad | who wrote the aeneid
who is the ceo of nestle | who is the ceo of danone
capital of tasmania | capital of sardinia
Who wrote the Iliad? | Who wrote the Aeneid?
How do I care for an orchid? | How do I care for a fern?
what is a mortgage | what is a lease
recipe for ratatouille | recipe for bouillabaisse
symptoms of measles | symptoms of mumps
how does aspirin work | how does ibuprofen work
What is the atomic number of zinc? | What is the atomic number of tin?
How do I play the violin? | How do I play the cello?
best restaurants in osaka | best restaurants in kyoto
How do I cook lentils? | How do I cook chickpeas?
How long do hamsters live? | How long do gerbils live?
What is the population of Bergen? | What is the population of Tromso?
What does the kidney do? | What does the spleen do?
`,
  'another version': `
What is new in Python 3.11? | What is new in Python 3.12?
Install Node 18 | Install Node 20
Difference between HTTP 1.1 and HTTP 2 | Difference between HTTP 2 and HTTP 3
Migrate from Vue 2 | Migrate from Vue 3
Is Windows 10 still supported? | Is Windows 11 still supported?
Does the iPhone 12 have USB-C? | Does the iPhone 15 have USB-C?
What changed in PHP 7? | What changed in PHP 8?
Rails six upgrade guide | Rails seven upgrade guide
Unity LTS download | Unity beta download
`,
  'another day': `
Are you open on Saturday? | Are you open on Sunday?
Bin collection on Tuesdays | Bin collection on Thursdays
Cron job every monday | Cron job every friday
Can I book for Wednesday? | Can I book for Thursday?
What is Good Friday? | What is Black Friday?
Is the office closed on weekends? | Is the office closed on weekdays?
Flights on friday evening | Flights on friday morning
Yoga class on Mon | Yoga class on Tue
`,
  'another month': `
What is the weather like in Rome in March? | What is the weather like in Rome in May?
Which birthstone belongs to April? | Which birthstone belongs to June?
what to plant in march | what to plant in may
Is December a good month for Thailand? | Is February a good month for Thailand?
Star sign for a birthday in August | Star sign for a birthday in October
Average temperature in Oslo in january | Average temperature in Oslo in july
Festivals in Japan in spring | Festivals in Japan in autumn
Tax deadlines in Jan | Tax deadlines in Apr
`,
  'another ordinal': `
Who was the third president? | Who was the fourth president?
Print the second column with awk | Print the third column with awk
What happens in the first trimester? | What happens in the second trimester?
Who was Henry the Eighth? | Who was Henry the Seventh?
What is the 21st amendment? | What is the 22nd amendment?
Gifts for a tenth anniversary | Gifts for a twentieth anniversary
What is the fifth element? | What is the sixth element?
What happened in the nineteenth century? | What happened in the eighteenth century?
Who wrote the third movement? | Who wrote the first movement?
What was World War I about? | What was World War II about?
Who was Louis XIV? | Who was Louis XVI?
Who was Pope John Paul I? | Who was Pope John Paul II?
`,
  'another quantity': `
Delete all rows | Delete some rows
List every employee with a car | List any employee without a car
Show all users who are admins | Show one user who is an admin
Do all birds fly? | Do any birds fly?
Can both parents sign? | Can one parent sign?
Do most snakes have venom? | Do all snakes have venom?
Names of some kings of France | Names of all kings of France
Select rows where each column is null | Select rows where any column is null
How do I delete only the first match? | How do I delete every match?
Is alcohol always harmful? | Is alcohol sometimes harmful?
Is it enough to vote once? | Is it enough to vote twice?
`,
  'another person': `
What is your favourite colour? | What is my favourite colour?
How did he die? | How did she die?
Why is he famous? | Why are they famous?
How old are you? | How old am I?
Can I see his messages? | Can I see her messages?
Where do you live? | Where do they live?
Are you a doctor? | Am I a doctor?
How can I improve myself? | How can you improve yourself?
Do you love me? | Do I love you?
Can you help us? | Can we help you?
Who are you? | Who am I?
What do you want from me? | What do I want from you?
What did you learn? | What did I learn?
Where were you born? | Where was I born?
`,
  'another language of the answer': `
Explain photosynthesis in French | Explain photosynthesis
Explain photosynthesis in German | Explain photosynthesis in Spanish
Write a greeting card in Italian | Write a greeting card
Answer in Portuguese: what is a cell? | Answer in English: what is a cell?
Say good luck in Welsh | Say good luck in Irish
Summarize the article in Dutch | Summarize the article in Danish
How do I order coffee in Arabic? | How do I order coffee in Turkish?
Describe a rainbow in simple English | Describe a rainbow in Latin
Write a summary of the treaty in Romanian | Write a summary of the treaty in Bulgarian
Tell me about the moon in pirate speak | Tell me about the moon
`,
  'another form of the answer': `
List the planets as JSON | List the planets
List the planets as a table | List the planets as bullet points
Give the timeline as CSV | Give the timeline as YAML
Summarize Hamlet as a poem | Summarize Hamlet
Show the results in markdown | Show the results in HTML
Write the report as an email | Write the report as a memo
Compare tea and coffee in a table | Compare tea and coffee
Explain gravity as a rap | Explain gravity
Explain recursion with code | Explain recursion without code
Explain recursion with a diagram | Explain recursion
Explain vectors with pictures | Explain vectors
Give me a numbered list of rivers in Spain | Give me a list of rivers in Spain
Explain DNS in the form of a dialogue | Explain DNS in the form of a letter
`,
  'another length of the answer': `
Explain inflation in one sentence | Explain inflation
Explain inflation in one sentence | Explain inflation in one paragraph
Summarize the plot briefly | Summarize the plot in detail
Describe Paris in one word | Describe Paris
Write a short story about a fox | Write a long story about a fox
Explain black holes in a nutshell | Explain black holes in depth
Write an essay about bees in 200 words | Write an essay about bees in 500 words
Give a quick overview of Kant | Give a full overview of Kant
Tell me briefly what TLS is | Tell me everything about TLS
Summarize in a few words what happened in 1848 | Summarize what happened in 1848
`,
  'another audience': `
Explain atoms to a child | Explain atoms to a physicist
Explain atoms to a five year old | Explain atoms
Explain recursion for beginners | Explain recursion for experts
Write a bio for a dating app | Write a bio for a job application
Explain mortgages to a teenager | Explain mortgages to a banker
Yoga for seniors | Yoga for toddlers
Write a toast for a wedding | Write a toast for a funeral
Recipes for diabetics | Recipes for athletes
Explain entropy to my grandmother | Explain entropy to my students
Gift ideas for a girlfriend | Gift ideas for a colleague
Explain blockchain like I am five | Explain blockchain
`,
  'another mood or tense': `
Can I eat raw eggs? | Should I eat raw eggs?
Must I file a tax return? | May I file a tax return?
Do I have to register? | Am I allowed to register?
When will the show start? | When did the show start?
Who will win the cup? | Who won the cup?
Why is the server down? | Why was the server down?
Is it legal to record a call? | Is it possible to record a call?
Do I need a licence to fish? | Where do I get a licence to fish?
`,
  'another attribute': `
What is the height of Mont Blanc? | What is the age of Mont Blanc?
What is the population of Kenya? | What is the area of Kenya?
Cause of the Boer war | Outcome of the Boer war
What are the symptoms of flu? | What are the treatments for flu?
Who directed Alien? | Who produced Alien?
Where was Bach born? | Where did Bach die?
When was Mozart born? | When did Mozart die?
Who invented the radio? | Who improved the radio?
What is the currency of Peru? | What is the language of Peru?
How do I install nginx? | How do I configure nginx?
How do I start nginx? | How do I restart nginx?
How do I change my email? | How do I verify my email?
What is the meaning of karma? | What is the origin of karma?
How do I create a branch? | How do I rename a branch?
How do I copy a directory? | How do I move a directory?
`,
  'another letter': `
What is vitamin A good for? | What is vitamin C good for?
Symptoms of hepatitis A | Symptoms of hepatitis B
What is plan A? | What is plan B?
What does blood type A mean? | What does blood type O mean?
Explain option A | Explain option C
what is vitamin d | what is vitamin k
Who plays in group C? | Who plays in group D?
What is a class B network? | What is a class C network?
How do I pronounce the letter x? | How do I pronounce the letter q?
`,
  'another condition': `
How do I quit vim with saving? | How do I quit vim without saving?
Can I travel with a passport? | Can I travel without a passport?
Pasta with eggs | Pasta without eggs
Run a container as root | Run a container as a normal user
Fly with a baby | Fly with a dog
Cook rice in a microwave | Cook rice in a pot
Log in with Google | Log in with Facebook
Sort a list in place | Sort a list into a new list
Sort a list ascending | Sort a list descending
Restart the service if it fails | Restart the service unless it fails
Read a file line by line | Read a file byte by byte
`,
  'another place': `
Minimum wage in Ohio | Minimum wage in Utah
Speed limit in a town | Speed limit on a motorway
Is gambling legal in Nevada? | Is gambling legal in Texas?
Public holidays in Bavaria | Public holidays in Saxony
Voting age in Austria | Voting age in Australia
Rivers in north Italy | Rivers in south Italy
Tipping in restaurants | Tipping in taxis
Driving in the snow | Driving in the rain
`,
  'a narrower thing': `
How do I cook rice? | How do I cook brown rice?
How do I remove a stain? | How do I remove a wine stain?
What is a contract? | What is a smart contract?
How do I get a visa? | How do I get a student visa?
How do I open an account? | How do I open a joint account?
What is insurance? | What is car insurance?
How do I lose weight? | How do I lose weight fast?
How do I learn guitar? | How do I learn guitar alone?
How do I delete a file? | How do I delete a locked file?
How do I delete a branch in git? | How do I delete a remote branch in git?
How do I make coffee? | How do I make iced coffee?
Why is my dog barking? | Why is my dog barking at strangers?
Can I travel with a baby? | Can I travel with a sick baby?
Can I get a refund? | Can I get a partial refund?
How do I sort a list? | How do I sort a nested list?
How do I change my password? | How do I change my wifi password?
How do I start a business? | How do I start a small business?
How do I start a business? | How do I start an online business?
What is the best phone? | What is the best cheap phone?
How can I sleep? | How can I sleep on a plane?
Is running healthy? | Is running every day healthy?
How do I find a job? | How do I find a job abroad?
How do I find a job? | How do I find a job after prison?
How much protein do I need? | How much protein do I need while pregnant?
Can I drink coffee? | Can I drink coffee while pregnant?
What should I eat? | What should I eat after surgery?
How do I reset my phone? | How do I reset my phone without a password?
How do I get a loan? | How do I get a loan with bad credit?
How do I clean a sofa? | How do I clean a leather sofa?
How do I print a list? | How do I print a list in reverse?
How do I count words in a file? | How do I count unique words in a file?
How do I write a letter? | How do I write a formal letter?
What is a good salary? | What is a good starting salary?
How do I cancel my order? | How do I cancel my order after it shipped?
How do I merge two files? | How do I merge two PDF files?
When can I retire? | When can I retire early?
How many people live in Spain? | How many old people live in Spain?
What is machine learning? | What is supervised machine learning?
Why do people lie? | Why do people lie to themselves?
What are the side effects of aspirin? | What are the long term side effects of aspirin?
`,
  'another verb': `
How do I start a server? | How do I restart a server?
How do I read a file? | How do I open a file?
How do I edit a comment? | How do I post a comment?
How do I share a photo? | How do I crop a photo?
How do I transfer a domain? | How do I register a domain?
How do I check my order? | How do I change my order?
How do I view my invoice? | How do I pay my invoice?
How do I update the app? | How do I download the app?
How do I find a therapist? | How do I become a therapist?
How can I get a job at Google? | How can I keep a job at Google?
How do I apply for a loan? | How do I pay off a loan?
Why did my payment fail? | Why did my payment succeed?
How do I print a list? | How do I reverse a list?
How do I get over a breakup? | How do I get through a breakup?
How do I look up a word? | How do I look after a word?
How do I turn in my homework? | How do I turn down my homework?
Can I buy a gift card? | Can I use a gift card?
When do I pay my fee? | Why do I pay a fee?
What does it take to be a pilot? | How long does it take to be a pilot?
`,
  'the other way round': `
Who is the mother of Achilles? | Who is the lover of Achilles?
What is the capital of France? | What is the France of capital?
Is my card in the machine? | Is the machine on my card?
Questions to ask a landlord | Questions to ask a tenant
What do men want from women? | What do women want from men?
Should a husband obey his wife? | Should a wife obey her husband?
Why do Germans like Italians? | Why do Italians like Germans?
How do I pay a friend? | How does a friend pay me?
Can a friend pay into my account? | Can I pay into a friend's account?
Can I send money to a friend? | Can a friend send money to me?
How do I add a user to a group? | How do I add a group to a user?
What do teachers think about parents? | What do parents think about teachers?
Which animals eat snakes? | Which animals do snakes eat?
Who is faster, Bolt or Gay? | Who is older, Bolt or Gay?
Is Java a subset of Kotlin? | Is Kotlin a subset of Java?
Is the sun bigger than the earth? | Is the earth bigger than the sun?
Does the moon orbit the earth? | Does the earth orbit the moon?
Is a whale a fish? | Is a fish a whale?
Are all squares rectangles? | Are all rectangles squares?
How do I convert a string to a date? | How do I convert a date to a string?
`,
  'another span of time': `
What to do in Rome in a day | What to do in Rome in a week
How do I lose weight in a week? | How do I lose weight in a month?
What should I eat in the morning? | What should I eat in the evening?
Is it better to shower at night? | Is it better to shower in the morning?
Can I nap during the day? | Can I nap during the night?
Flights in summer | Flights in winter
How often should I wash my hair in a week? | How often should I wash my hair in a month?
How do I earn money daily? | How do I earn money weekly?
How do I set a daily alarm? | How do I set a weekly alarm?
Pay monthly | Pay yearly
Can I learn French in three months? | Can I learn French in six months?
What did people eat in the Middle Ages? | What did people eat in the Stone Age?
`,
  'another owner': `
What is my dog thinking? | What is your dog thinking?
How do I see my followers? | How do I see someone's followers?
Delete my account | Delete your account
How do I change my son's name? | How do I change my own name?
How do I read my messages? | How do I read my girlfriend's messages?
How do I track my phone? | How do I track my wife's phone?
Can I use my card? | Can I use my friend's card?
Is my father liable for my debts? | Am I liable for my father's debts?
How do I unlock my phone? | How do I unlock a stolen phone?
`,
  'what is done already': `
How do I delete files? | How do I recover deleted files?
How do I lock a cell? | How do I find locked cells?
How do I save a password? | How do I remove saved passwords?
How do I stash my changes? | How do I apply my stashed changes?
How do I archive an email? | How do I find archived emails?
How do I block a number? | How do I see blocked numbers?
How do I hide a photo? | How do I show hidden photos?
How do I encrypt a file? | How do I open an encrypted file?
How do I merge a branch? | How do I list merged branches?
How do I schedule a message? | How do I cancel a scheduled message?
`,
  'another one who does it': `
Can my tenant evict me? | Can I evict my tenant?
Does my boyfriend miss me? | Do I miss my boyfriend?
Why did my cat scratch me? | Why did I scratch my cat?
Is my neighbour allowed to film me? | Am I allowed to film my neighbour?
What should I do if I insult my teacher? | What should I do if my teacher insults me?
How do I know if a girl loves me? | How do I know if I love a girl?
Can he hear us? | Can we hear him?
She lent me a book | I lent her a book
How do I invite someone to my group? | How does someone invite me to a group?
What if my dog bites someone? | What if someone bites my dog?
I hit a deer with my car | A deer hit my car
When will my horse stop kicking me? | When will I stop kicking my horse?
How do I make her trust me? | How do I make me trust her?
How do I stop calling my cousin? | How do I stop my cousin calling me?
`,
  'one who does it and one who is done to': `
Who mentored Einstein? | Who did Einstein mentor?
which company bought nokia | which company did nokia buy
what eats owls | what do owls eat
who succeeded churchill | who did churchill succeed
who owns nestle | who does nestle own
what is owned by nestle | who owns nestle
which team beat chelsea | which team did chelsea beat
what absorbs heat | what does heat absorb
who was brutus killed by | who did brutus kill
what produces insulin | what does insulin produce
`,
  'other company for a word': `
How do I gain speed without losing control? | How do I gain control without losing speed?
Can I watch a film while doing homework? | Can I do homework while watching a film?
Turn up the heat and turn down the music | Turn down the heat and turn up the music
Log in to the shop and log out of the forum | Log out of the shop and log in to the forum
Paint the wall before sanding the floor | Sand the floor before painting the wall
Lock the door and close the window | Close the door and lock the window
Which costs more, a pound of beef or a kilo of pork? | Which costs more, a kilo of beef or a pound of pork?
Keep the comments but remove the headers | Keep the headers but remove the comments
A red house with a blue door | A blue house with a red door
Use butter instead of oil | Use oil instead of butter
Put the app on my phone and the file on my laptop | Put the file on my phone and the app on my laptop
`,
  'and instead of or': `
Can I drink tea and coffee? | Can I drink tea or coffee?
Is it ok to swim and dive here? | Is it ok to swim or dive here?
Should I walk or run every day? | Should I walk and run every day?
Can I take melatonin and benadryl? | Can I take melatonin or benadryl?
Filter rows with spaces or tabs | Filter rows with spaces and tabs
Do I need salt and pepper? | Do I need salt or pepper?
Search for cats and dogs | Search for cats or dogs
Is it legal to buy or sell ivory? | Is it legal to buy and sell ivory?
`,
  'another word that is spoken of': `
How does a for loop work? | How does a while loop work?
explain the if statement | explain the with statement
when should i use since | when should i use for
when do i use has | when do i use had
how do i use with in a sentence | how do i use by in a sentence
what does if mean | what does or mean
what is the difference between then and than | what is the difference between than and that
who vs whom | who vs whose
how to use the as keyword | how to use the is keyword
explain the in operator | explain the is operator
is about a preposition | is above a preposition
how do you say with in spanish | how do you say for in spanish
how do i spell their | how do i spell there
should i say who or whom | should i say whose or whom
what does an and gate do | what does an or gate do
`,
  'a word that leaves fewer': `
How long does rice keep? | How long does cooked rice keep?
Delete the rows in a table | Delete the empty rows in a table
Show only unread emails | Show unread emails
What do I do with a car battery? | What do I do with a dead car battery?
How do I ship a phone? | How do I ship a broken phone?
How do I list files in a folder? | How do I list hidden files in a folder?
what is the population of kansas | what is the population of kansas city
Do I need a new passport? | Do I need a passport?
How do I sell a car? | How do I sell a used car?
How long does wine last? | How long does opened wine last?
Can I return a game? | Can I return an opened game?
`,
  'another end of the question': `
does acupuncture work | how does acupuncture work
do bees make honey | how do bees make honey
is strep contagious | how is strep contagious
should i quit my job | how do i quit my job
should i get the malaria vaccine | is there a malaria vaccine
what is a branch in git | how do i create a branch in git
what is a pod in kubernetes | how do i delete a pod in kubernetes
what does git stash do | how do i stash in git
how did elvis die | where did elvis die
where was the treaty signed | how was the treaty signed
what is the eiffel tower | where is the eiffel tower
is mono contagious | how long is mono contagious
`,
  'then instead of now': `
who is the president of france | who was the president of france
what currency do they use in italy | what currency did they use in italy
how much does an iphone cost | how much did an iphone cost
is she married | was she married
who is the coach of the lakers | who was the coach of the lakers
how is the treaty enforced | how was the treaty enforced
what is the capital of brazil | what was the capital of brazil
are the shops open | were the shops open
`,
  'all instead of one': `
delete a row in sql | delete all rows in sql
drop a table in postgres | drop all tables in postgres
how do i delete an email | how do i delete all emails
kill a process | kill all processes
how do i undo a commit | how do i undo all commits
replace a string in a file | replace a string in all files
how do i close a tab | how do i close all my open tabs
remove a docker image | remove every docker image
`,
  'a negation in other words': `
movies that are anything but boring | movies that are boring
i want anything but pizza, what should i eat | i want pizza, what should i eat
recipes with gluten | gluten free recipes
cookies with nuts | nut free cookies
cars with a driver | driverless cars
arguments for the death penalty | arguments against the death penalty
what animals other than bats fly | what animals like bats fly
why did i stop getting emails | why am i getting emails
why has my car stopped making noise | why is my car making noise
everyone but me got paid | everyone and me got paid
anti-inflammatory foods | inflammatory foods
misuse of statistics | use of statistics
use a for loop instead of a while loop | use a while loop instead of a for loop
can i drive with no license | can i not drive with a license
tea without milk but with sugar | tea with milk but without sugar
`,
  'the first of several': `
how many soldiers died in world war one | how many soldiers died in world war
symptoms of type one diabetes | symptoms of diabetes
stage one lung cancer survival | lung cancer survival
plot of part one of dune | plot of dune
formula one rules | formula rules
tier one support | tier support
schedule one drugs | schedule drugs
summary of chapter one | summary of the chapter
how long is an hour and a half drive | how long is a half hour drive
how do i lose 10 pounds | how do i lose 10 pounds in a month
how do i lose weight | how do i lose weight in a week
grade a eggs | grade b eggs
how many bones does a human have | which bones does a human have
`,
  'a kind of it': `
how do i get a dog | how do i get a therapy dog
how do i push in git | how do i force push in git
is tuna safe for cats | is canned tuna safe for cats
is chocolate vegan | is dark chocolate vegan
is there a fee | is there a late fee
how do i get a refund | how do i get a tax refund
do you have parking | do you have free parking
how do i open a bank account | how do i open a bank account online
how do i rebase in git | how do i interactive rebase in git
what is a normal heart rate | what is a normal heart rate for a child
`,
  'a like word': `
side effects of prednisone | side effects of prednisolone
how to test for creatine | how to test for creatinine
what is cortisol used for | what is cortisone used for
boiling point of ethane | boiling point of ethanol
is sodium sulfide toxic | is sodium sulfite toxic
how do i add a hash | how do i add a hashtag
how much does a physics course cost | how much does a physicist course cost
what does propane smell like | what does propanol smell like
`,
  'another verb by its particle': `
how do i sign up | how do i sign in
how do i pay off a loan | how do i pay for a loan
how do i look after a baby | how do i look for a baby
transfer money to the us | transfer money from the us
how do i break up with him | how do i break in with him
how do i log in to the portal | how do i log out of the portal
how do i turn up the heating | how do i turn off the heating
take a screenshot | take a screenshot on mac
`,
}
