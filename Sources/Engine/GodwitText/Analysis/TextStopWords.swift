//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The stop words of languages: words that carry little meaning alone, such as articles, pronouns, prepositions,
/// conjunctions and forms of auxiliary verbs.
enum TextStopWords {
    /// The languages that have stop words.
    static var languages: [String] { Array(latin.keys) + otherScripts.keys + sharedLists.keys }

    /// Returns the stop words of a language in the form of ``lowercased(_:in:)``; `nil` when the language has no stop
    /// words.
    static func words(of language: String) -> Set<String>? {
        cachedWords.withLock { cachedWords in
            if let words = cachedWords[language] { return words }
            let listName = sharedLists[language] ?? language
            guard let text = latin[listName] ?? otherScripts[listName] else { return nil }
            let words = Set(text.split(separator: " ").map { lowercased(String($0), in: language) })
            cachedWords[language] = words
            return words
        }
    }

    /// A cache of the languages that have been requested.
    private static let cachedWords = Mutex<[String: Set<String>]>([:])

    /// The language whose stop words an analyzer uses, keyed by the name of the analyzer. The dictionary contains only
    /// the analyzers whose own name is not the name of a language in the lists. Lucene has a separate list for
    /// Brazilian Portuguese.
    private static let sharedLists = ["brazilian": "portuguese", "cjk": "english"]

    /// Returns a word in the form for comparison with stop words: in lower case by the rules of the language, and with
    /// one form of sigma.
    static func lowercased(_ word: String, in language: String) -> String {
        let isTurkish = language == "turkish" && word.contains { $0 == "I" || $0 == "İ" }
        let word = isTurkish ? word.replacing("I", with: "ı").replacing("İ", with: "i") : word
        return language == "greek" ? word.lowercased().replacing("ς", with: "σ") : word.lowercased()
    }

    /// Languages in Latin script.
    private static let latin: [String: String] = [
        "basque": """
        ni hi zu gu zuek hura haiek bera nire zure gure hau hori honek horrek hark hauek horiek nor nork zer zein \
        non noiz nola zergatik zenbat eta edo baina ere baita ezta bai ez ala da dira zen ziren du dute dut dugu \
        duzu zuen zuten naiz gara zara dago daude izan egin bat batzuk hemen hor han orain oso beti bezala arabera \
        gabe arte
        """,
        "catalan": """
        a al als amb aquell aquella aquelles aquells aquest aquesta aquestes aquests així això allò bé cada com d de \
        del dels des doncs dues dos e el ella elles ells els em en encara ens entre era eren es et fins ha han he \
        hem hi ho i ja jo l la les li llur lo m mateix me meu meva més molt molta molts n ni no nosaltres nostra \
        nostre o on però per perquè poc pot que qual quan què qui s sa se sense ser seu seva seus seves si sí sobre \
        sóc som són sota sou t també te teu teva tot tota totes tots tu un una unes uns us va van vosaltres
        """,
        "czech": """
        a aby aj ale ani ano asi až bez být bude budem budeš by byl byla byli bylo byly co což či další do ho i já \
        jak jako je jeho jej její jejich jen ještě již jenž ji jsem jsi jsme jsou jste k kam kde kdo kdy když ke \
        která které který kteří ku ma máte mezi mi mít mně mnou můj může my na nad nám nás náš ne nebo než nic není \
        o od on ona oni ono pak po pod podle pokud pouze pro proč proto protože před přes při s se si sice své svůj \
        ta tak také takže tato tedy ten tento tím tímto to tohle toho tohoto tom tomto tomu tu tuto ty tyto u už v \
        vám vás váš ve více však vy z za zda zde ze že
        """,
        "danish": """
        af alle at blev da de dem den denne der deres det dette dig din du efter eller en end er et for fra ham han \
        har havde hende hendes her hos hun hvad hvis hvor i ikke ind jeg jo kan kom kunne man med meget men mig min \
        mod ned noget nogle nu når og også om op os over på sig sin skal skulle som så til ud under var ved vi vil \
        ville vor være været
        """,
        "dutch": """
        aan al als bij daar dan dat de der deze die dit doch doen door dus een en er ge geen haar had heb hebben \
        heeft hem het hier hij hoe hun ik in is ja je kan kon maar me meer men met mij mijn na naar niet niets nog \
        nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren was wat \
        we wel werd wezen wie wij wil worden zal ze zelf zich zij zijn zo zonder zou
        """,
        "english": """
        a about after all also am an and any are as at be because been before being both but by can could did do \
        does for from had has have he her hers him his how i if in into is it its me more most my no nor not of on \
        or other our out over own she should so some such than that the their them then there these they this those \
        to too under until up very was we were what when where which while who whom why will with would you your
        """,
        "finnish": """
        ei eivät emme en ette että he hän ja jos joka jotka kanssa koska kuin kun me minä mitä mutta myös ne nuo nyt \
        ole oli olivat on ovat se sekä sen siitä sinä sitä te tai tuo tämä vaan vai vaikka
        """,
        "french": """
        a à ai au aux avec avait c ce ces cet cette d dans de des du elle elles en es est et été être eu eux il ils \
        j je l la le les leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par pas pour \
        qu que qui s sa sans se ses si son sont sur t ta te tes toi ton tu un une vos votre vous y
        """,
        "galician": """
        a á ao aos as así até cada co coa coas como con cos cuxo da das de dela delas dende deles desta deste do dos \
        e é el ela elas eles en entre era esa ese esta está este estes eu foi fun hai i isto lle lles mais máis me \
        meu miña moi na nas nin no non nos nós nosa noso o ó os ou para pero pola polas polo polos por porque que \
        quen se sen ser seu seus si sobre son súa súas tamén te ten teu ti tiña túa un unha unhas uns vos xa
        """,
        "german": """
        aber alle als also am an auch auf aus bei bin bis bist da damit dann das daß dass dein dem den der des die \
        dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euch euer \
        für hab habe haben hat hatte hier hin ich ihm ihn ihnen ihr ihre im in ist ja jede jeder kann kein keine mein \
        mich mir mit nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so über um und uns unser \
        unter vom von vor war waren was weil wenn wer werden wie wir wird wo zu zum zur
        """,
        "hungarian": """
        a abban ahhoz ahogy ahol aki akik akkor alatt által általában amely amelyek amelyet ami amíg amikor át az \
        azért aztán azok azon azonban azt azután azzal be bár benne csak de e ebben egy egyéb egyes egyik egyre \
        ehhez el elég ellen elő először előtt én erre és ez ezek ezen ezért ezt ezzel fel felé ha hanem hiszen hogy \
        hogyan igen így ill ilyen is itt kell kellett keresztül ki kívül köz közben között közül le legyen lehet \
        lenne lenni lesz lett maga magát majd meg még mellett mely melyek mert mi mikor milyen minden mindig mint \
        mintha mit most nagyon ne néha neki nekik nélkül nem nincs ő ők őket olyan össze ott pedig persze rá s saját \
        sem semmi sok sokkal számára szemben szerint szinte talán te tehát tovább továbbá több ugyan úgy után utána \
        vagy vagyok valaki valami valamint való van vannak vele vissza viszont volna volt voltak voltam
        """,
        "indonesian": """
        ada adalah adanya agar akan aku anda antara apa apabila apakah atas atau bagaimana bagi bahwa banyak \
        beberapa begitu belum bila bisa boleh bukan dalam dan dapat dari daripada demi demikian dengan di dia harus \
        hanya hingga ia ialah ini itu jadi jangan jika juga kalau kami kamu karena ke kepada ketika kita lagi lah \
        lain maka masih mereka merupakan namun oleh pada para pula pun saat saja sampai sangat saya sebab sebagai \
        sebelum sebuah sedang sehingga sejak sekali selain selama semua seorang seperti serta sesudah setelah setiap \
        suatu sudah supaya tanpa tapi telah tentang terhadap tersebut tetapi tiap tidak untuk yaitu yakni yang
        """,
        "irish": """
        an na ag ar as chuig de do faoi go i in idir le ó roimh sa san sna thar trí um mé tú sé sí sinn muid sibh \
        siad é í iad mo a ár bhur is ba níl tá bhí bhfuil bheith agus nó ach má mura nuair mar ní níor nach nár gur \
        seo sin gach cé cad conas cá cathain leis den don ón dá h n t d b m
        """,
        "italian": """
        a ad agli ai al alla alle allo anche c che chi ci come con contro cui d da dagli dai dal dalla dalle dei del \
        della delle dello di dove e è ed era essere fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma \
        mi mio ne negli nei nel nella nelle no noi non nostro o per perché più quale quando quella quello questa \
        questo se sei si siamo sia sono su sua sue sui sul sulla suo tra tu tuo un una uno vi voi
        """,
        "latvian": """
        es tu viņš viņa mēs jūs viņi viņas šis šī šie tas tā tie tās kas kurš kura kuri ko ap ar bez caur līdz no pa \
        par pēc pie pirms pret starp uz virs zem aiz un bet vai ka ja jo kad lai gan tomēr arī kā ir bija būs būt \
        esmu esi esam esat nav tad tagad te tur jau vēl tikai ļoti jā nē ne
        """,
        "norwegian": """
        alle at av bare ble bli da de deg dem den denne der deres det dette di din du eller en enn er et etter for fra \
        ha hadde han hans har hun hva hvis hvor i ikke inn jeg kan kunne man med meg men min mot nå når og også om opp \
        oss over på seg selv sin skal skulle slik som så til ut var ved vi vil ville være vært
        """,
        "polish": """
        a aby albo ale ależ ani aż bardziej bardzo bez bo bowiem by być był była było były będą będzie cały ci \
        ciebie co coś czy czyli dla dlaczego dlatego do gdy gdyby gdyż gdzie go i ich ile im inne inny iż ja jak \
        jakie jako ją je jeden jednak jego jej jemu jest jestem jeszcze jeśli jeżeli już kiedy kto która które \
        którego której który których którym którzy lecz lub ma mają mi między mimo mnie mną moja moje może mój mu my \
        na nad nam nami nas nasz natomiast nawet nic nich nie niech nigdy nim niż no o od on ona one oni ono oraz \
        pan pani po pod ponieważ poza przed przede przez przy również są się skąd sobie swoje sam ta tak także tam \
        te tego tej ten to tobą tobie toteż tu tutaj twoja twoje twój ty tych tylko tym u w wam was wasz we wiele \
        wszyscy wszystkie wszystko więc z za zawsze ze że żeby
        """,
        "portuguese": """
        a à ao aos as até com como da das de dele dela do dos e é ela elas ele eles em entre era essa esse esta está \
        este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na nas não nem no nos nós o os ou para pela \
        pelas pelo pelos por qual quando que quem se sem ser seu seus só sua suas também te tem tu um uma você vos
        """,
        "romanian": """
        a acea aceasta această aceea acei aceia acel acela acele acelea acest acesta aceste acestea acești aceștia \
        acolo acum ai aia al ale am ar are aș așa asta ăsta astfel asupra atât atunci au avea ca că când care cărei \
        căror cărui cât ce cel cele celor cei chiar ci cine cineva ceva cu cum dacă dar de deci deși despre din \
        dintre doar după ea ei el ele era este eu fără fel fi fie fiecare fiind fost iar îi îl îmi împotriva în \
        înainte încă însă între întru îți la le li lor lui mă mai mea mei mele meu mi mie mult multă mulți ne nici \
        nimeni nimic niște noastră noi nostru noștri nu o ori oricare orice pe pentru peste pînă până poate prea \
        prin s sa să săi sale sau său se și sub sunt suntem t ta tăi tale tău te ție toată toate tot toți totuși tu \
        un una unde unei unele unor unui v vă vi voastră voi voștri vostru vouă vreo
        """,
        "spanish": """
        a al algo ante antes como con contra cual cuando de del desde donde durante e el él ella ellas ellos en entre \
        era es esa ese eso esta está estas este esto estos fue ha había han hasta hay la las le les lo los más me mi \
        mí mis mucho muy nada ni no nos nosotros o os otra otro para pero poco por porque que qué quien se sea ser si \
        sí sin sobre son su sus también tanto te tu tú tus un una uno unos y ya yo
        """,
        "swedish": """
        alla att av blev bli blir då de dem den denna deras dess det detta dig din du där efter ej eller en er ett \
        från för ha hade han hans har henne hennes hon hur här i icke inte jag kan kunde man med mellan men mig min \
        mot mycket ni nu när någon något och om oss på samma sedan sig sin ska skulle som så till under upp ut var vad \
        vara varit vem vi vid vilken är över
        """,
        "turkish": """
        acaba ama ancak arada artık aslında ayrıca bana bazen bazı belki ben benden beni benim beri bile bir biraz \
        birçok biri birkaç birşey biz bize bizden bizi bizim böyle böylece bu buna bunda bundan bunlar bunları \
        bunların bunu bunun burada bütün çok çünkü da daha dahi de defa değil diğer diye dolayı edecek eden eder \
        ediyor en eğer etti fakat gibi göre hala halen hangi hatta hem henüz hep hepsi her herhangi herkes hiç \
        hiçbir için ile ilgili ise işte kadar karşın kendi kendine kendini ki kim kimden kime kimi kimse mı mi mu mü \
        nasıl ne neden nedenle nerde nerede nereye niye niçin o olan olarak oldu olduğu olduğunu olmak olması olsa \
        olsun olur ona ondan onlar onlardan onları onların onu onun oysa öyle pek rağmen sadece sanki sen senden \
        seni senin siz sizden sizi sizin sonra şey şeyi şimdi şöyle şu şuna şunda şundan şunlar şunu tarafından tüm \
        üzere var vardı ve veya ya yani yapacak yapan yapılan yerine yine yoksa zaten
        """,
    ]
}
