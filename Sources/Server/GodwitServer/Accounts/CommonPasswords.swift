//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A list of common passwords of at least eight characters. They consist of words, names, years and rows of keys on a
/// keyboard. They are the most frequent passwords in lists of leaked passwords.
enum CommonPasswords {
    /// All passwords, in lower case.
    static let all = Set(text.split { $0.isWhitespace }.map(String.init))

    private static let text = """
        password password1 password12 password123 password1234 password12345 password! password1! password123!
        passw0rd p@ssw0rd p@ssword p@ssw0rd1 p@ssword1 passw0rd1 pa55word pa$$word pa$$w0rd passwort passwort1
        passwort123 password0 password2 password3 password5 password7 password9 password01 password11 password22
        password99 password69 mypassword mypassword1 newpassword yourpassword thepassword nopassword changeme
        changeme1 changeme123 changeit letmein1 letmein123 letmein! letmeinnow welcome1 welcome12 welcome123 welcome1!
        welcome123! welcome01 welcome2 admin123 admin1234 admin12345 admin123! administrator administrator1 adminadmin
        adminpassword rootroot root1234 toor1234 superuser superman superman1 superman123 supervisor secret123
        secret1234 topsecret secretpassword test1234 test12345 testtest test123456 testing1 testing123 testpassword
        default1 default123 guest123 guest1234 user1234 user12345 username username1 demo1234 temp1234 temporary
        pass1234 pass12345 pass123456 passpass passpass1 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345
        qwerty123456 qwerty1! qwerty123! qwertyqwerty qwertz123 qwertzui qwertzuiop azertyui azertyuiop azerty123
        qwer1234 qwer4321 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 qazwsx12 qazwsx123 qazwsxedc
        qazwsxedcrfv zaq12wsx zaq1zaq1 zaq1xsw2 xsw2zaq1 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 asdfghjk asdfghjkl asdfasdf
        asdf1234 asdfqwer asdfzxcv asdfgh123 zxcvbnm1 zxcvbnm123 zxcvbnm, zxcvzxcv zxcv1234 poiuytrewq lkjhgfdsa
        mnbvcxz1 mnbvcxza qweasdzxc qweasd123 qweqweqwe qwe123qwe asdasdasd zxczxczxc 123qweasd 123qweasdzxc 123qwe123
        1234qwer 12qwaszx 12345qwert 123456qwerty q2w3e4r5 wasdwasd 12345678 123456789 1234567890 12345678910
        123456789a 123456789q 0123456789 0987654321 9876543210 987654321 87654321 123123123 123123123a 12341234
        123412345 12344321 1234554321 1234567a 12345678a 12345678q 123456ab 123456aa 123456abc 1234abcd a1234567
        a12345678 a123456789 q1234567 q12345678 q123456789 w1234567 z1234567 aa123456 aa12345678 aa112233 ab123456
        abc12345 abc123456 abc123456789 abc123abc abcd1234 abcd12345 abcd123456 abcde123 abcde12345 abcdef123 abcdef12
        abcdefgh abcdefghi abcdefghij abcdefg1 abcdefg123 abcabcabc 11111111 111111111 1111111111 22222222 33333333
        44444444 55555555 66666666 77777777 88888888 99999999 00000000 000000000 0000000000 11112222 11223344
        1122334455 112233445566 11221122 12121212 121212121 13131313 10101010 10203040 102030405060 12131415 123654789
        147258369 147852369 14725836 159753456 159357258 159951159 147147147 258258258 321321321 456456456 789456123
        789789789 741852963 963852741 369258147 31415926 314159265 20002000 19841984 12345679 123456780 1234567899
        123456654321 98765432 876543210 iloveyou iloveyou1 iloveyou2 iloveyou3 iloveyou! iloveyou12 iloveyou123
        iloveu123 iloveme1 ilovegod ilovejesus ilovehim iloveher loveyou1 loveyou123 loveme123 lovelove lovelove1
        lovely123 mylove123 trustno1 trustno1! whatever whatever1 sunshine sunshine1 sunshine123 princess princess1
        princess12 princess123 football football1 football12 football123 baseball baseball1 basketball basketball1
        softball volleyball hockey123 soccer12 soccer123 dragon123 dragon12 monkey123 monkey12 shadow123 shadow12
        master123 master12 michael1 michael123 jennifer jennifer1 jessica1 jessica123 michelle michelle1 jonathan
        jonathan1 jordan23 jordan123 charlie1 charlie123 andrew123 daniel123 thomas123 joshua123 matthew1 anthony1
        ashley123 nicole123 amanda123 samantha samantha1 elizabeth elizabeth1 stephanie christian christian1 christina
        christine christopher alexander alexander1 alexandra alejandro alejandra benjamin benjamin1 nicholas nicholas1
        patricia victoria victoria1 veronica gabriela gabriel1 isabella caroline catherine kimberly danielle danielle1
        jacqueline maryjane margaret cristina francisco fernando fernanda valentina sebastian guillermo mercedes
        mercedes1 carolina beatrice leonardo giovanni babygirl babygirl1 babygirl12 babyboy1 angelina angelica
        angel123 butterfly butterfly1 chocolate chocolate1 chocolat blink182 computer computer1 computer123 internet
        internet1 internet123 samsung1 samsung123 google123 facebook facebook1 facebook123 linkedin microsoft windows1
        windows10 starwars starwars1 startrek pokemon1 pokemon123 pikachu1 minecraft minecraft1 fortnite warcraft
        starcraft counterstrike playstation nintendo nintendo64 corvette mustang1 mustang123 ferrari1 porsche911
        harleydavidson yamaha123 motorola scorpion scorpio1 batman123 spiderman spiderman1 superstar superstar1
        rockstar rockstar1 rockyou1 metallica metallica1 slipknot slipknot1 nirvana1 blackcat cocacola cocacola1
        pepsi123 cookie123 cheese123 banana123 pepper123 ginger123 tigger123 snoopy123 garfield1 scoobydoo spongebob
        spongebob1 tinkerbell mickeymouse hellokitty hello123 hello1234 hello12345 hellohello helloworld goodluck
        goodmorning freedom1 freedom123 liverpool liverpool1 liverpool123 arsenal1 arsenal123 chelsea1 chelsea123
        manchester manutd123 barcelona barcelona1 juventus realmadrid steelers steelers1 patriots cowboys1 yankees1
        lakers24 redskins packers1 raiders1 broncos1 dolphins summer123 summer2020 summer2021 summer2022 summer2023
        summer2024 summer2025 winter123 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025 spring2023
        spring2024 spring2025 autumn2023 autumn2024 autumn2025 january1 february september1 november november1
        december december1 monday123 friday13 sunday123 sterling champion champion1 midnight midnight1 maverick
        maverick1 mountain president creative westside eastside southside northside precious precious1 beautiful
        beautiful1 sweetheart sweetie1 gorgeous darkness darkside lightning thunder1 thunderbird phoenix1 blackberry
        strawberry blueberry snowball snowball1 snowflake rainbow1 rainbow123 flower123 flowers1 sunflower lavender
        dolphin1 elephant penguin1 panther1 tiger123 tigers01 wildcats bulldogs buster123 bailey123 maggie123
        hunter123 killer123 fuckyou1 fuckyou123 fuckyou2 fuckyou! asshole1 bullshit motherfucker pussycat bigdaddy
        bigdick1 sexybitch sexygirl sexylady playboy1 gangster gangsta1 nothing1 forever1 forever21 together jesus123
        jesuschrist godisgood blessed1 blessing heavenly trinity1 security security1 security123 database database1
        oracle123 mysql123 postgres postgres1 mongodb1 couchdb1 godwit123 server123 system123 manager1 manager123
        operator service1 support1 support123 company1 company123 office123 business marketing consultant teacher1
        student1 student123 school123 college1 university einstein everything something anything somebody nobody123
        nevermind remember welcomeback opensesame abracadabra alakazam aaaaaaaa aaaaaaaaa aaaaaaaaaa bbbbbbbb zzzzzzzz
        xxxxxxxx qqqqqqqq asdfjkl; !@#$%^&* !@#$%^&*( !@#$%^&*() 1!2@3#4$ qwerty!@# correcthorsebatterystaple
        contraseña contrasena contrasena1 clave123 motdepasse motdepasse1 soleil123 bonjour1 bonjour123 doudou123
        jetaime1 hallo123 hallo1234 schatz123 sommer123 passwoord welkom01 welkom123 geheim123 geheim1234 kennwort
        wachtwoord parola123 lozinka1 senha123 senha1234 mudar123 brasil123 flamengo corinthians palmeiras haslo123
        haslo1234 polska123 heslo123 salasana salasana1 losenord sifre123 galatasaray fenerbahce besiktas woaini1314
        woaini520 5201314520 woaini123 asd123456 qq123456 zxc123456 qwe123456 xiaoming marseille olympique naruto123
        sasuke123 dragonball dragonballz goku1234
        """
}
