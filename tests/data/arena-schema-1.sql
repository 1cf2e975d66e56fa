BEGIN TRANSACTION;
CREATE TABLE sparring_arenas (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            key TEXT NOT NULL
        ) STRICT;
INSERT INTO "sparring_arenas" VALUES(1,'arena','2b2c67e9f076cbdd5481217f40ab2854e092bd86f99bb4aa4cd83880a1ece35d');
CREATE TABLE sparring_checkpoints (
            arena INTEGER NOT NULL REFERENCES sparring_arenas (id),
            number INTEGER NOT NULL,
            state BLOB NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (arena, number)
        ) STRICT;
CREATE TABLE sparring_events (
            arena INTEGER NOT NULL REFERENCES sparring_arenas (id),
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            ticket TEXT,
            body TEXT NOT NULL,
            chain TEXT NOT NULL,
            PRIMARY KEY (arena, number)
        ) STRICT;
INSERT INTO "sparring_events" VALUES(1,1,1794955820171866,'made',NULL,'{"arms":["plain","polite","terse"],"learner":"tracker","options":{"differ":true},"lifetime":1209600000000000,"seed":"0x7"}','be54d5977232d784c4196edf637911ed');
INSERT INTO "sparring_events" VALUES(1,2,1794955820177365,'asked','993c1778d4d5ffb1292af627','{"row":1,"col":2,"swapped":true,"selves":[],"voter":null}','784c20ef1d173eb6db10e613574a251a');
INSERT INTO "sparring_events" VALUES(1,3,1794955821811743,'told','993c1778d4d5ffb1292af627','{"outcome":0.0,"why":""}','54b030a4ba1f488fb4235fefa35516f2');
INSERT INTO "sparring_events" VALUES(1,4,1794955821859625,'asked','0c3cef83dc4d9de2d74fa553','{"row":1,"col":0,"swapped":false,"selves":[],"voter":"489521bc7faee2b311bdde5d"}','2a0759c0ec001cd41c4928c84c87138d');
INSERT INTO "sparring_events" VALUES(1,5,1794955821867719,'told','0c3cef83dc4d9de2d74fa553','{"outcome":1.0,"why":""}','897028d9ac4acb5a1f51fc2075d0861d');
INSERT INTO "sparring_events" VALUES(1,6,1794955821883679,'asked','6fae07e176148236f93f35d0','{"row":0,"col":2,"swapped":false,"selves":[],"voter":null}','dc887da6621df6ffbdc2999995c6f734');
INSERT INTO "sparring_events" VALUES(1,7,1794955821891801,'told','6fae07e176148236f93f35d0','{"outcome":0.5,"why":""}','42c2eb0b50583d0b1409e05d6e370e33');
INSERT INTO "sparring_events" VALUES(1,8,1794955821899604,'asked','a054bbbbe44bb8d0d41d37b5','{"row":1,"col":2,"swapped":true,"selves":[],"voter":"e92c4d0e3d224dd1bb47ac78"}','c3c83654ff2938d8e2d1fdb14866fc47');
INSERT INTO "sparring_events" VALUES(1,9,1794955821907716,'told','a054bbbbe44bb8d0d41d37b5','{"outcome":0.0,"why":""}','2772d8ade8ca85aeee70e2fcea11a818');
INSERT INTO "sparring_events" VALUES(1,10,1794955821919607,'asked','5b585013912e4522f4e9cc18','{"row":1,"col":2,"swapped":false,"selves":[],"voter":null}','0e86ea38ea09e0831e6afa1397380328');
INSERT INTO "sparring_events" VALUES(1,11,1794955821923721,'told','5b585013912e4522f4e9cc18','{"outcome":1.0,"why":""}','e9d0abbca05e956bdd4c7613784205ff');
INSERT INTO "sparring_events" VALUES(1,12,1794955821935677,'asked','ba72533285f3f368629e23f6','{"row":1,"col":2,"swapped":true,"selves":[],"voter":"bf3d1e175df89e38c1c1cec1"}','2f48c7eea99f044be4399a7b180446d3');
INSERT INTO "sparring_events" VALUES(1,13,1794955821955721,'told','ba72533285f3f368629e23f6','{"outcome":0.0,"why":""}','12f548e2f6f13c28e9740877ffb52352');
INSERT INTO "sparring_events" VALUES(1,14,1794955821959666,'asked','35ec4b07959d469b5a008eae','{"row":1,"col":0,"swapped":true,"selves":[],"voter":null}','aa9ebcd304d8bb6231f7d08e53384232');
INSERT INTO "sparring_events" VALUES(1,15,1794955821967758,'told','35ec4b07959d469b5a008eae','{"outcome":0.0,"why":""}','26a03b7144c9c6271e4c0b4d52fd6067');
INSERT INTO "sparring_events" VALUES(1,16,1794955821971628,'added',NULL,'{"name":"formal","boost":1.0}','1835ba680d4cbc4ac602e9f54cc29899');
INSERT INTO "sparring_events" VALUES(1,17,1794955821979602,'withdrawn',NULL,'{"arm":2}','8f7ae7c18827776a80da401d2a9a7ddf');
INSERT INTO "sparring_events" VALUES(1,18,1794955821991799,'asked','e1608db551eba98ae466179b','{"row":1,"col":3,"swapped":true,"selves":[],"voter":"4f72b6f14aedb620f705dd20"}','610ca341ae18e7d19da313fb9eb51a43');
INSERT INTO "sparring_events" VALUES(1,19,1794955821999859,'told','e1608db551eba98ae466179b','{"outcome":0.0,"why":""}','2ec03e69c955621910895b76495a776d');
INSERT INTO "sparring_events" VALUES(1,20,1794955822011644,'asked','e6391f05142eaf83f0e89af0','{"row":1,"col":3,"swapped":false,"selves":[],"voter":null}','368e3e17311355d0d26af1aea6f48292');
INSERT INTO "sparring_events" VALUES(1,21,1794955822019858,'told','e6391f05142eaf83f0e89af0','{"outcome":1.0,"why":""}','b430eddb427da22f6019dc948f0180bc');
INSERT INTO "sparring_events" VALUES(1,22,1794955822031750,'asked','9aeb51e54d606a21a01f2c77','{"row":3,"col":1,"swapped":false,"selves":[],"voter":"808be407470de25c30517921"}','fd59bfcc06b8f88885f556c975ae4810');
INSERT INTO "sparring_events" VALUES(1,23,1794955822039762,'told','9aeb51e54d606a21a01f2c77','{"outcome":0.0,"why":""}','7ccfb21a20487aa66dd62c374bfd03b8');
INSERT INTO "sparring_events" VALUES(1,24,1794955822051729,'asked','74e7e22df3eb2cd9e1d29da7','{"row":1,"col":3,"swapped":false,"selves":[],"voter":null}','a1e6ee2d1dc4124334d03146f8a23595');
INSERT INTO "sparring_events" VALUES(1,25,1794955822075715,'told','74e7e22df3eb2cd9e1d29da7','{"outcome":1.0,"why":""}','11047e5b17a19f07a92a73aa112db2ff');
INSERT INTO "sparring_events" VALUES(1,26,1794955822087680,'asked','70744186679feb4f7e3cba7c','{"row":1,"col":3,"swapped":false,"selves":[],"voter":"489521bc7faee2b311bdde5d"}','1f1fe2bc93bf71631415b710800c8b55');
INSERT INTO "sparring_events" VALUES(1,27,1794955822088358,'told','70744186679feb4f7e3cba7c','{"outcome":1.0,"why":""}','394d18cc178c760395a15203571453d1');
INSERT INTO "sparring_events" VALUES(1,28,1794955822099826,'asked','ba898f9bef731e97b570b9ae','{"row":3,"col":1,"swapped":false,"selves":[],"voter":null}','931c86bf1398b10f4bbc8e53f1de21a3');
CREATE TABLE sparring_schema (version INTEGER);
INSERT INTO "sparring_schema" VALUES(1);
CREATE UNIQUE INDEX sparring_events_of_ticket
            ON sparring_events (arena, ticket, kind) WHERE ticket IS NOT NULL;
COMMIT;
