//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The words of a language that say little alone: articles, pronouns, prepositions, conjunctions, forms of auxiliary
/// verbs.
enum TextStopWords {
    /// The languages with their words, in lower case.
    static let languages: [String: Set<String>] = texts.mapValues { Set($0.split(separator: " ").map(String.init)) }

    private static let texts: [String: String] = [
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
        "german": """
        aber alle als also am an auch auf aus bei bin bis bist da damit dann das daß dass dein dem den der des die \
        dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euch euer \
        für hab habe haben hat hatte hier hin ich ihm ihn ihnen ihr ihre im in ist ja jede jeder kann kein keine mein \
        mich mir mit nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so über um und uns unser \
        unter vom von vor war waren was weil wenn wer werden wie wir wird wo zu zum zur
        """,
        "italian": """
        a ad agli ai al alla alle allo anche c che chi ci come con contro cui d da dagli dai dal dalla dalle dei del \
        della delle dello di dove e è ed era essere fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma \
        mi mio ne negli nei nel nella nelle no noi non nostro o per perché più quale quando quella quello questa \
        questo se sei si siamo sia sono su sua sue sui sul sulla suo tra tu tuo un una uno vi voi
        """,
        "norwegian": """
        alle at av bare ble bli da de deg dem den denne der deres det dette di din du eller en enn er et etter for fra \
        ha hadde han hans har hun hva hvis hvor i ikke inn jeg kan kunne man med meg men min mot nå når og også om opp \
        oss over på seg selv sin skal skulle slik som så til ut var ved vi vil ville være vært
        """,
        "portuguese": """
        a à ao aos as até com como da das de dele dela do dos e é ela elas ele eles em entre era essa esse esta está \
        este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na nas não nem no nos nós o os ou para pela \
        pelas pelo pelos por qual quando que quem se sem ser seu seus só sua suas também te tem tu um uma você vos
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
    ]
}
