BEGIN TRANSACTION;
CREATE TABLE sparring_arenas (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            key TEXT NOT NULL
        , duplicates INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "sparring_arenas" VALUES(1,'arena','f7b849d73790c1b1f221b8b9b934fd4d248c50c1011ae54a816a6feb1aa4546c',0);
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
INSERT INTO "sparring_events" VALUES(1,1,1794975594861179,'made',NULL,'{"arms":["plain","polite","terse"],"learner":"tracker","options":{"differ":true},"lifetime":604800000000,"seed":"0x1"}','9dab425cd85fe4638eb6934d2561c4e7');
INSERT INTO "sparring_events" VALUES(1,2,1794975594867384,'set',NULL,'{"uniform":0.2,"grace":30.0}','e48353db1c4d22f048867ab9fc6a35c1');
INSERT INTO "sparring_events" VALUES(1,3,1794975594870867,'asked','5c8a9842baeb9533bf256483','{"row":0,"col":2,"swapped":true,"selves":[],"voter":"4400e6a4db52d4f5b3061d04","uniform":true}','4d2d5c113172e10decfaca6b6912b26a');
INSERT INTO "sparring_events" VALUES(1,4,1794975594874780,'told','5c8a9842baeb9533bf256483','{"outcome":1.0,"why":""}','fdc14c018931df04ddb0c1f024bc343a');
INSERT INTO "sparring_events" VALUES(1,5,1794975594878471,'asked','43c40ddc793f446c15b0e70f','{"row":2,"col":0,"swapped":true,"selves":[],"voter":"fdce5ec2ec31d26280109fe6"}','985c30a84939573222bfc9a30193a034');
INSERT INTO "sparring_events" VALUES(1,6,1794975595460511,'told','43c40ddc793f446c15b0e70f','{"outcome":1.0,"why":""}','2e995e22357bc851fa75a58fa3a25da5');
INSERT INTO "sparring_events" VALUES(1,7,1794975595460969,'asked','08bbb98e9e73e1492561163a','{"row":2,"col":1,"swapped":false,"selves":[],"voter":"3c3e6e3e4d4bbe3f9e9d253f"}','c2dda15115579e7bd8f36f378c62de9d');
INSERT INTO "sparring_events" VALUES(1,8,1794975595461460,'told','08bbb98e9e73e1492561163a','{"outcome":1.0,"why":""}','df95cac4762d636dbda60df0f1607c6f');
INSERT INTO "sparring_events" VALUES(1,9,1794975595470804,'asked','12dff62771e526b915406fe7','{"row":0,"col":2,"swapped":false,"selves":[],"voter":"888b84ea0a1cb6ac7d203867","uniform":true}','acb8fd7c58758aa1a8ee1b1ae48384ac');
INSERT INTO "sparring_events" VALUES(1,10,1794975595474773,'told','12dff62771e526b915406fe7','{"outcome":1.0,"why":""}','0b46a7098dbbaa397f8525f639750b2f');
INSERT INTO "sparring_events" VALUES(1,11,1794975595478775,'asked','ed12a9b957608dd26b266588','{"row":1,"col":2,"swapped":true,"selves":[],"voter":"dd412472e499577c1da750c6"}','a8a6775af51b4734200cc6383aa1e123');
INSERT INTO "sparring_events" VALUES(1,12,1794975595482781,'told','ed12a9b957608dd26b266588','{"outcome":1.0,"why":""}','11e09dbe20ab8efc000fae70051c3388');
INSERT INTO "sparring_events" VALUES(1,13,1794975595486770,'asked','4f42fbfd147baf81c1d538a9','{"row":0,"col":1,"swapped":true,"selves":[],"voter":"99d027769be4693062290148"}','583941a4f6c484b178663e05852f743b');
INSERT INTO "sparring_events" VALUES(1,14,1794975595490766,'told','4f42fbfd147baf81c1d538a9','{"outcome":1.0,"why":""}','c175b530f12c7a35c48558102ad63c36');
INSERT INTO "sparring_events" VALUES(1,15,1794975595494796,'asked','fa55e4ed260e3d1d3c3c01d0','{"row":2,"col":0,"swapped":true,"selves":[],"voter":"c7a456fb9cf563330e8f2ad2"}','e36532dd2df90331e156594180d016ae');
INSERT INTO "sparring_events" VALUES(1,16,1794975595498794,'told','fa55e4ed260e3d1d3c3c01d0','{"outcome":1.0,"why":""}','c9f60fd510125a7b33fd2d923fbfd351');
INSERT INTO "sparring_events" VALUES(1,17,1794975595502788,'undone','fa55e4ed260e3d1d3c3c01d0','{"again":"f44409da1a4934ba73686db7"}','b4df6853ffe4e315fdf9499c82904e29');
INSERT INTO "sparring_events" VALUES(1,18,1794975595514827,'told','f44409da1a4934ba73686db7','{"outcome":0.5,"why":"","word":"both bad"}','2025d63c46b261758df31c80ff4448cd');
INSERT INTO "sparring_events" VALUES(1,19,1794975595522834,'edited',NULL,'{"arm":0,"content":{"kind":"text","text":"Plain words."}}','fb34e89dac4976554fa6c3c831135bc4');
INSERT INTO "sparring_events" VALUES(1,20,1794975595530817,'asked','059f1ba186f7963ff7ca53b0','{"row":0,"col":2,"swapped":false,"selves":[],"voter":"a4ca0876c87e1905f3369306","versions":[1,0]}','afc39c6bd6f67c7ded2f5c3d3a9241fb');
INSERT INTO "sparring_events" VALUES(1,21,1794975595534780,'told','059f1ba186f7963ff7ca53b0','{"outcome":1.0,"why":""}','644688dbb8e0a9e33db5d6eed1b944a2');
INSERT INTO "sparring_events" VALUES(1,22,1794975595550754,'judged',NULL,'{"voter":"a4ca0876c87e1905f3369306","verdict":"banned"}','ea3f791b31ed69a0cf2953d270080a2c');
INSERT INTO "sparring_events" VALUES(1,23,1794975595562834,'asked','0feb4f0e8e702878bec027bb','{"row":0,"col":1,"swapped":true,"selves":[],"voter":"1a13a3020f2f001c59d1feb1","versions":[1,0]}','f0f91ebba018b2344311a130ac9827b6');
INSERT INTO "sparring_events" VALUES(1,24,1794975595574825,'told','0feb4f0e8e702878bec027bb','{"outcome":null,"why":"it was skipped","reason":"skip","word":"skip"}','2263c24303502ced3ab9d200e3942242');
INSERT INTO "sparring_events" VALUES(1,25,1794975595582872,'added',NULL,'{"name":"formal","boost":1.0,"content":{"kind":"text","text":"Dear all,"}}','56a5b46104b1ffca6f62e12bc7081a66');
INSERT INTO "sparring_events" VALUES(1,26,1794975595590794,'withdrawn',NULL,'{"arm":2}','29b4f5765b9b7b7a34d459e0e5b5d74e');
INSERT INTO "sparring_events" VALUES(1,27,1794975595618868,'imported',NULL,'{"first":0,"second":1,"outcome":1.0,"source":"survey","at":1700000000.0}','7c14c8c4a9ea769a85537a8bff386daf');
INSERT INTO "sparring_events" VALUES(1,28,1794975595630888,'set',NULL,'{"grace":0.0}','84b0225e9142e922d0be5755ab071745');
INSERT INTO "sparring_events" VALUES(1,29,1794975595642853,'asked','8448db154e2cb73046ad93f8','{"row":1,"col":0,"swapped":false,"selves":[],"voter":"b1763540cf60f5e20f0a5256","versions":[0,1]}','475d37fafe0e057409e8389df528011c');
INSERT INTO "sparring_events" VALUES(1,30,1794975595650826,'told','8448db154e2cb73046ad93f8','{"outcome":1.0,"why":""}','01bd4f92e4d6360730ff3146c432d84f');
INSERT INTO "sparring_events" VALUES(1,31,1794975595658857,'judged',NULL,'{"voter":"b1763540cf60f5e20f0a5256","verdict":"held"}','b4a0dc203bda5f65f30affd0844f3b6f');
INSERT INTO "sparring_events" VALUES(1,32,1794975595666806,'asked','afc5efb04d660718940c56a1','{"row":3,"col":0,"swapped":true,"selves":[],"voter":"b1763540cf60f5e20f0a5256","uniform":true,"versions":[0,1]}','01dbeb3e5924903399f2019854b039c7');
INSERT INTO "sparring_events" VALUES(1,33,1794975595678840,'told','afc5efb04d660718940c56a1','{"outcome":1.0,"why":"","verdict":"held"}','e5bf7bfcd675b8ee73485e726a3af600');
INSERT INTO "sparring_events" VALUES(1,34,1794975595690832,'asked','72d3f80ec13a2de231f22d10','{"row":1,"col":0,"swapped":false,"selves":[],"voter":null,"uniform":true,"versions":[0,1]}','484235d29a32a1d703f1daf10688bee7');
INSERT INTO "sparring_events" VALUES(1,35,1794975595702900,'told','72d3f80ec13a2de231f22d10','{"outcome":1.0,"why":""}','21eda7d4e0726e4d3ec0d7cb0ca97773');
INSERT INTO "sparring_events" VALUES(1,36,1794975595714843,'asked','5b75c64674e3191d948a938c','{"row":1,"col":3,"swapped":false,"selves":[],"voter":null}','afdb09370c44c5144cfa31cdc5f28f23');
INSERT INTO "sparring_events" VALUES(1,37,1794975595722854,'told','5b75c64674e3191d948a938c','{"outcome":1.0,"why":""}','1da6bf1dd099bedaadca3b9192f55eda');
INSERT INTO "sparring_events" VALUES(1,38,1794975595730837,'asked','fa4a7a6b0e9bee37e1662daf','{"row":1,"col":3,"swapped":true,"selves":[],"voter":null,"uniform":true}','c7f8865f3441b9b08e4faeb4561b2c32');
INSERT INTO "sparring_events" VALUES(1,39,1794975595734965,'told','fa4a7a6b0e9bee37e1662daf','{"outcome":1.0,"why":""}','712dd0a878e22bc51084d363c5f3d56c');
INSERT INTO "sparring_events" VALUES(1,40,1794975595746836,'asked','b021b55404ce0eedf9c8d88e','{"row":3,"col":1,"swapped":true,"selves":[],"voter":null}','db21c61851ab6b6b056501899af68835');
INSERT INTO "sparring_events" VALUES(1,41,1794975595754819,'told','b021b55404ce0eedf9c8d88e','{"outcome":1.0,"why":""}','94b4f3842a36f36bfdea6adac6c361df');
INSERT INTO "sparring_events" VALUES(1,42,1794975595762828,'asked','6340d8fdbfa161f025906d29','{"row":1,"col":3,"swapped":false,"selves":[],"voter":"fdce5ec2ec31d26280109fe6"}','62556402e45d2b6efaa778342ef7feed');
INSERT INTO "sparring_events" VALUES(1,43,1794975595770933,'seen','6340d8fdbfa161f025906d29','{}','5ed4b1f04d83b2e8d46b6c28cd559212');
CREATE TABLE sparring_guests (
            arena INTEGER NOT NULL REFERENCES sparring_arenas (id),
            voter TEXT NOT NULL,
            invite INTEGER NOT NULL REFERENCES sparring_invites (id),
            at INTEGER NOT NULL,
            PRIMARY KEY (arena, voter)
        ) STRICT;
CREATE TABLE sparring_hooks (
            id INTEGER PRIMARY KEY,
            arena INTEGER NOT NULL REFERENCES sparring_arenas (id),
            url TEXT NOT NULL,
            secret TEXT NOT NULL,
            kinds TEXT NOT NULL,
            made INTEGER NOT NULL,
            ended INTEGER
        ) STRICT;
CREATE TABLE sparring_invites (
            id INTEGER PRIMARY KEY,
            arena INTEGER NOT NULL REFERENCES sparring_arenas (id),
            digest TEXT NOT NULL UNIQUE,
            label TEXT NOT NULL,
            uses INTEGER NOT NULL,
            expires INTEGER,
            made INTEGER NOT NULL,
            ended INTEGER
        ) STRICT;
CREATE TABLE sparring_keys (
            id INTEGER PRIMARY KEY,
            digest TEXT NOT NULL UNIQUE,
            role TEXT NOT NULL,
            label TEXT NOT NULL,
            made INTEGER NOT NULL,
            ended INTEGER
        ) STRICT;
CREATE TABLE sparring_schema (version INTEGER);
INSERT INTO "sparring_schema" VALUES(3);
CREATE UNIQUE INDEX sparring_events_of_ticket
            ON sparring_events (arena, ticket, kind) WHERE ticket IS NOT NULL;
CREATE INDEX sparring_events_of_verdicts
            ON sparring_events (arena, number) WHERE kind = 'judged';
CREATE INDEX sparring_guests_of_invite ON sparring_guests (invite);
COMMIT;
