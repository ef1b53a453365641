/** Questions and commands of many kinds, none of which changes by itself: what tests of manners and traps begin with. */
export const QUESTIONS: readonly string[] = `
What is a mutex?
What is the capital of Norway?
What is the difference between a stack and a queue?
What are the symptoms of anaemia?
What are prime numbers used for?
What does idempotent mean?
What does HTTP 418 mean?
What does the fox say in the fable?
What causes thunder?
What makes bread rise?
What kind of wood is used for guitars?
What happens when a volcano erupts under ice?
What should I pack for a week in the mountains?
What can I use instead of butter in a cake?
What would you recommend for a dry cough?
What's the boiling point of ethanol?
What's wrong with using global variables?
What if my parcel never arrives?
Which planet has the most moons?
Which database suits time series?
Which is heavier, lead or gold?
Who painted The Night Watch?
Who was the first woman in space?
Who can sign a building permit?
Whose job is it to clean the gutters?
When was the printing press invented?
When should I prune roses?
When do swallows fly south?
Where do penguins live?
Where can I change my delivery address?
Where is the liver?
Where does the Danube end?
Why is the sky blue?
Why doesn't oil mix with water?
Why do cats purr?
Why can't penguins fly?
Why was the Eiffel tower built?
Why is my sourdough so dense?
Why won't my dishwasher drain?
Why aren't there any even primes above two?
How do I undo a commit?
How do I reset my password?
How do I boil an egg?
How do I calculate compound interest?
How do I turn off two factor login?
How do I get from the airport to the old town?
How do I convert miles to kilometres?
How do I list all files in a folder?
How do I stop a child process in Node.js?
How do I merge two sorted lists in Python?
How can I lower my heating bill?
How can I tell whether a melon is ripe?
How can I share a folder with a colleague?
How to sharpen a kitchen knife
How to write a cover letter for a first job
How to remove wine stains from a carpet
How does a heat pump work?
How does photosynthesis work?
How does TLS differ from SSH?
How did the Romans make concrete?
How many bones does a hand have?
How many players are in a rugby team?
How much flour do I need for ten pancakes?
How much does a blue whale weigh?
How long does it take to digest meat?
How long is a marathon?
How old is the universe?
How far is the moon?
How often should I water a cactus?
How should I store fresh basil?
How would I explain gravity to a child?
How come ice floats?
Is a tomato a fruit?
Is it safe to eat raw mushrooms?
Is there a way to export my contacts?
Isn't Pluto a planet?
Are bats blind?
Are there any side effects of ibuprofen?
Aren't whales mammals?
Was Latin spoken in Gaul?
Does sugar dissolve in oil?
Does my warranty cover water damage?
Doesn't salt lower the freezing point?
Do bees sleep?
Do I need a visa for Vietnam?
Don't rabbits need hay?
Did dinosaurs have feathers?
Can dogs eat cheese?
Can I return a used item?
Can I use two coupons at once?
Can a contract be signed by email?
Can't I just use a regular expression for HTML?
Could a human live on Mars?
Should I freeze bananas?
Should I learn Rust or Go?
Shouldn't a test be deterministic?
Will vinegar remove rust?
Would a magnet stick to aluminium?
Has anyone ever swum across the Atlantic?
Have humans been to the Mariana trench?
Must a will be signed by witnesses?
Explain the CAP theorem
Explain how a bill becomes law
Explain why leaves turn red
Explain recursion to a beginner
Explain the rules of cricket in one paragraph
Describe the water cycle
Describe how vaccines work
Define entropy
Define the term supply chain
Summarize the plot of Hamlet
Summarise the causes of the French revolution in three sentences
List the planets by size
List five rivers in Africa
List the ingredients of pesto
List all files larger than 10 MB
Name three noble gases
Name the longest bone in the body
Translate good evening into Dutch
Translate "the cat is asleep" into French
Write a haiku about the sea
Write a function that reverses a string in Python
Write a SQL query that counts orders per customer
Write a thank-you note to a teacher
Write a bash script that renames all .txt files to .md
Draft an email that declines a meeting
Compare MySQL and PostgreSQL
Compare the climates of Lima and Quito
Convert 30 degrees Celsius to Fahrenheit
Convert 0x1F to decimal
Calculate the area of a circle with radius 4
Solve 3x + 5 = 20
Suggest a name for a bakery
Suggest a vegetarian dinner for four people
Recommend a book about the Silk Road
Give me a recipe for lentil soup
Give me three tips for better sleep
Give an example of irony
Show me how to tie a bowline
Show the steps to reset a router
Tell me about the Hanseatic league
Tell me how to prune an apple tree
Tell me why the Titanic sank
Teach me how to juggle
Help me write a polite refusal
Help me understand monads
Find the square root of 144
Find all files named core.log under /var
Delete all empty lines in vim
Delete the branch feature/login in git
Remove duplicates from a list in Ruby
Install docker on Ubuntu
Create a table with three columns in LaTeX
Create an index on orders.customer_id
Generate a regex for ISO dates
Print the third column of a CSV with awk
Sort a dictionary by value in Python
Replace tabs with spaces in every file
Count the words in a file
Check whether a port is in use on Linux
Set the timezone of a Debian server
Change the owner of /srv/www recursively
Rename a column in a pandas data frame
Turn this recipe into metric units: 1 cup of milk and 2 ounces of butter
Fix the grammar: he go to school by bus
Rewrite the sentence in the passive voice: the dog chased the ball
I want to know how to graft a pear tree
I want to learn how to whistle
I need to know what a lien is
I need help with a clogged drain
I would like to understand how interest rates work
I'd like to cancel my subscription
I can't log in to my account
I can't connect to the office VPN
I've lost my card
I'm getting a 502 from nginx
I don't understand pointers
I forgot my PIN
My card was declined at the supermarket
My order was delivered to the wrong address
My phone was stolen, help!
My cat doesn't eat dry food
We don't receive any webhooks
We'd like to add a third seat to our plan
The app crashes when I open a photo
The invoice shows the wrong company name
There's a hole in my bucket
It won't start
Do you know who wrote Hamlet?
Do you know how glass is made?
Do you accept American Express?
Do you ship to Iceland?
Can you recommend a hotel in Porto?
Can you explain what a lambda is?
Can you swim in the Dead Sea?
Could you describe the smell of rain?
Would you rather fight one horse or ten ducks?
Any tips for a first marathon?
Advantages of nuclear power
Pros and cons of working from home
Population of Iceland
Meaning of the word ubiquitous
Symptoms of a gluten intolerance
Difference between cement and concrete
Best way to clean a cast iron pan
Recipe for banana bread without eggs
Cheap hotels near the main station
JSON or YAML for configuration?
Python list comprehension with two conditions
git undo last commit
docker compose restart one service
sed replace first match only
kubectl get pods in all namespaces
`
  .trim()
  .split('\n')
