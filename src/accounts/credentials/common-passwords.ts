/** The most common leaked passwords of at least eight characters, in lower case. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 0123456789 12345678910 987654321 9876543210 87654321 123123123 123321123
  147258369 159357456 741852963 789456123 123456789a 123456789q a123456789 1234567a a1234567 1234qwer qwer1234
  12341234 12344321 11223344 1122334455 112233445566 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc
  1qazxsw2 2wsx3edc zaq12wsx zaq1zaq1 qazwsxedc qazwsx123 q1w2e3r4 q1w2e3r4t5 qwertyui qwertyuiop qwerty12
  qwerty123 qwerty1234 qwerty12345 qwerty123456 123qwerty 123456qwerty asdfghjk asdfghjkl zxcvbnm1 zxcvbnm123
  asdf1234 asdfasdf qweasdzxc qweqweqwe asd123456 abcd1234 abc12345 abc123456 abcdefgh abcdefg1 abcdefghi
  1234abcd aa123456 aa12345678 123456aa a12345678 q12345678 password password1 password12 password123
  password1234 password! password1! p@ssw0rd p@ssword passw0rd pa55word pa$$word passwort motdepasse
  mypassword yourpassword password2 password01 passwords letmein1 letmein123 welcome1 welcome123 welcome1234
  iloveyou iloveyou1 iloveyou2 ilovegod iloveme1 loveyou1 lovelove trustno1 sunshine sunshine1 princess princess1
  football football1 baseball baseball1 basketball superman superman1 batman123 spiderman pokemon1 pokemon123
  starwars starwars1 jordan23 michael1 michelle jennifer jessica1 charlie1 computer computer1 internet
  whatever whatever1 nothing1 samsung1 samsung123 google123 facebook facebook1 linkedin dropbox1 minecraft
  minecraft1 changeme changeme1 changeme123 admin123 admin1234 admin12345 administrator root1234 toor1234
  test1234 testtest test12345 testing1 testing123 guest123 user1234 default1 secret123 master123 dragon123
  monkey123 shadow123 killer123 hello123 hello1234 freedom1 butterfly chocolate liverpool liverpool1 chelsea1
  arsenal1 barcelona corvette mercedes maverick midnight babygirl babygirl1 blink182 greenday metallica
  nirvana1 slipknot eminem123 december november september february 19841984 20202020 88888888 66666666 5201314520
  woaini520 woaini1314 woaini123 wodemima mima1234 nihao123 asdfghjkl1 qq123456 qq123456789 z1234567 w1234567
  sakura123 naruto123 doraemon anime123 otaku123 galgame1 mokuroku mokuroku1 correcthorsebatterystaple`.split(
    /\s+/,
  ),
)
