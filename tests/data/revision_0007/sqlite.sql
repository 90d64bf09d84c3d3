BEGIN TRANSACTION;
CREATE TABLE alarms (
	id INTEGER NOT NULL, 
	study VARCHAR(64), 
	kind VARCHAR(32) NOT NULL, 
	message TEXT NOT NULL, 
	raised_ms BIGINT NOT NULL, 
	cleared_ms BIGINT, 
	CONSTRAINT pk_alarms PRIMARY KEY (id)
);
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO "alembic_version" VALUES('0007');
CREATE TABLE attempts (
	id INTEGER NOT NULL, 
	what VARCHAR(16) NOT NULL, 
	who VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_attempts PRIMARY KEY (id)
);
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	what TEXT NOT NULL, 
	study VARCHAR(64), 
	at_ms BIGINT NOT NULL, 
	kind VARCHAR(10) DEFAULT 'change' NOT NULL, 
	session VARCHAR(32), 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'command line','added anna as researcher of faces','faces',1795006871650,'account',NULL);
CREATE TABLE blobs (
	session VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	media_type VARCHAR(64) NOT NULL, 
	body BLOB NOT NULL, 
	CONSTRAINT pk_blobs PRIMARY KEY (session, name), 
	CONSTRAINT fk_blobs_session FOREIGN KEY(session) REFERENCES sessions (id)
);
CREATE TABLE coding_books (
	project VARCHAR(64) NOT NULL, 
	version INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	policies TEXT NOT NULL, 
	note TEXT NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_books PRIMARY KEY (project, version), 
	CONSTRAINT fk_coding_books_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
CREATE TABLE coding_logs (
	id VARCHAR(32) NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	coder VARCHAR(64) NOT NULL, 
	epoch INTEGER DEFAULT '0' NOT NULL, 
	head_seq INTEGER DEFAULT '0' NOT NULL, 
	head_hash VARCHAR(64) NOT NULL, 
	top_seq INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_coding_logs PRIMARY KEY (id), 
	CONSTRAINT uq_coding_logs_project_coder UNIQUE (project, coder), 
	CONSTRAINT fk_coding_logs_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
CREATE TABLE coding_marks (
	project VARCHAR(64) NOT NULL, 
	round INTEGER NOT NULL, 
	coder VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	session VARCHAR(32), 
	body TEXT NOT NULL, 
	done BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	suggested BOOLEAN NOT NULL, 
	review BOOLEAN NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_marks PRIMARY KEY (project, round, coder, number), 
	CONSTRAINT fk_coding_marks_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
CREATE TABLE coding_operations (
	log VARCHAR(32) NOT NULL, 
	seq INTEGER NOT NULL, 
	session VARCHAR(32), 
	body TEXT NOT NULL, 
	received_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_operations PRIMARY KEY (log, seq), 
	CONSTRAINT fk_coding_operations_log FOREIGN KEY(log) REFERENCES coding_logs (id)
);
CREATE TABLE coding_outcomes (
	id INTEGER NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	round INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	session VARCHAR(32), 
	how VARCHAR(12) NOT NULL, 
	body TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_outcomes PRIMARY KEY (id), 
	CONSTRAINT fk_coding_outcomes_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
CREATE TABLE coding_projects (
	id VARCHAR(64) NOT NULL, 
	study VARCHAR(64), 
	pool VARCHAR(10) NOT NULL, 
	title TEXT NOT NULL, 
	sources TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	suggestions BOOLEAN DEFAULT '0' NOT NULL, 
	rule VARCHAR(12) DEFAULT 'none' NOT NULL, 
	created_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_projects PRIMARY KEY (id), 
	CONSTRAINT fk_coding_projects_study FOREIGN KEY(study) REFERENCES studies (id)
);
CREATE TABLE coding_rounds (
	project VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	"plan" TEXT NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	created_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_rounds PRIMARY KEY (project, number), 
	CONSTRAINT fk_coding_rounds_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
CREATE TABLE coding_strays (
	log VARCHAR(32) NOT NULL, 
	epoch INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	session VARCHAR(32), 
	body TEXT NOT NULL, 
	received_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_strays PRIMARY KEY (log, epoch, seq), 
	CONSTRAINT fk_coding_strays_log FOREIGN KEY(log) REFERENCES coding_logs (id)
);
CREATE TABLE coding_tasks (
	project VARCHAR(64) NOT NULL, 
	round INTEGER NOT NULL, 
	coder VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	shared BOOLEAN NOT NULL, 
	CONSTRAINT pk_coding_tasks PRIMARY KEY (project, round, coder, number), 
	CONSTRAINT fk_coding_tasks_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
CREATE TABLE coding_texts (
	project VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	session VARCHAR(32), 
	place VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	about TEXT NOT NULL, 
	CONSTRAINT pk_coding_texts PRIMARY KEY (project, number), 
	CONSTRAINT uq_coding_texts_project_place UNIQUE (project, place), 
	CONSTRAINT fk_coding_texts_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	session VARCHAR(32) NOT NULL, 
	kind VARCHAR(12) NOT NULL, 
	target TEXT DEFAULT '' NOT NULL, 
	reason TEXT NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_session FOREIGN KEY(session) REFERENCES sessions (id)
);
CREATE TABLE definitions (
	hash VARCHAR(64) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	body TEXT NOT NULL, 
	created_ms BIGINT NOT NULL, 
	"plan" VARCHAR(64), 
	CONSTRAINT pk_definitions PRIMARY KEY (hash), 
	CONSTRAINT fk_definitions_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "definitions" VALUES('de75fdfd0f78e7e2426a18d822ae86a7142ee1e67233a5d37979b15842e7e726','faces','{"format":"believable-definition/1","media":{},"pages":{},"study":{"arms":{"tool":["slow","fast"]},"believable":1,"conditions":["human","agent"],"seed":1,"timeline":[{"consent":{"id":"consent","require":["agree"],"text":"Do you agree?"}},{"block":{"each":[{"form":{"id":"judge","questions":[{"id":"why","prompt":"Why?","text":{}}]}}],"id":"pairs","order":"latin_square","over":"condition"}},{"finish":{"id":"end"}}],"title":"A study of before"}}',1795006870488,NULL);
CREATE TABLE events (
	session VARCHAR(32) NOT NULL, 
	seq INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	received_ms BIGINT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (session, seq), 
	CONSTRAINT fk_events_session FOREIGN KEY(session) REFERENCES sessions (id)
)
 WITHOUT ROWID

;
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',1,'{"kind":"page.open","trial":0,"at_ms":1750000000000,"mono_ms":0,"data":{}}',1750000005498);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',2,'{"kind":"trial.shown","trial":0,"at_ms":1750000000000,"mono_ms":0,"data":{}}',1750000005498);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',3,'{"kind":"answer.change","trial":0,"at_ms":1750000004897,"mono_ms":4897,"data":{"question":"agree","value":true}}',1750000005498);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',4,'{"kind":"trial.submit","trial":0,"at_ms":1750000005498,"mono_ms":5498,"data":{"answers":{"agree":true}}}',1750000005498);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',5,'{"kind":"trial.shown","trial":1,"at_ms":1750000005498,"mono_ms":5498,"data":{}}',1750000013280);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',6,'{"kind":"answer.change","trial":1,"at_ms":1750000012424,"mono_ms":12424,"data":{"question":"why","value":"It stopped and seemed to think."}}',1750000013280);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',7,'{"kind":"trial.submit","trial":1,"at_ms":1750000013280,"mono_ms":13280,"data":{"answers":{"why":"It stopped and seemed to think."}}}',1750000013280);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',8,'{"kind":"trial.shown","trial":2,"at_ms":1750000013280,"mono_ms":13280,"data":{}}',1750000018661);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',9,'{"kind":"answer.change","trial":2,"at_ms":1750000018042,"mono_ms":18042,"data":{"question":"why","value":"It moved in a way I did not expect."}}',1750000018661);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',10,'{"kind":"trial.submit","trial":2,"at_ms":1750000018661,"mono_ms":18661,"data":{"answers":{"why":"It moved in a way I did not expect."}}}',1750000018661);
INSERT INTO "events" VALUES('1563c82434fe5c1cbfccdb',11,'{"kind":"trial.shown","trial":3,"at_ms":1750000018661,"mono_ms":18661,"data":{}}',1750000019163);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',1,'{"kind":"page.open","trial":0,"at_ms":1750000021352,"mono_ms":0,"data":{}}',1750000028122);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',2,'{"kind":"trial.shown","trial":0,"at_ms":1750000021352,"mono_ms":0,"data":{}}',1750000028122);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',3,'{"kind":"answer.change","trial":0,"at_ms":1750000027431,"mono_ms":6079,"data":{"question":"agree","value":true}}',1750000028122);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',4,'{"kind":"trial.submit","trial":0,"at_ms":1750000028122,"mono_ms":6770,"data":{"answers":{"agree":true}}}',1750000028122);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',5,'{"kind":"trial.shown","trial":1,"at_ms":1750000028122,"mono_ms":6770,"data":{}}',1750000036043);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',6,'{"kind":"answer.change","trial":1,"at_ms":1750000035715,"mono_ms":14363,"data":{"question":"why","value":"It stopped and seemed to think."}}',1750000036043);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',7,'{"kind":"trial.submit","trial":1,"at_ms":1750000036043,"mono_ms":14691,"data":{"answers":{"why":"It stopped and seemed to think."}}}',1750000036043);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',8,'{"kind":"trial.shown","trial":2,"at_ms":1750000036043,"mono_ms":14691,"data":{}}',1750000041920);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',9,'{"kind":"answer.change","trial":2,"at_ms":1750000041190,"mono_ms":19838,"data":{"question":"why","value":"I could not say why, it just felt natural. I could not say why, it just felt natural."}}',1750000041920);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',10,'{"kind":"trial.submit","trial":2,"at_ms":1750000041920,"mono_ms":20568,"data":{"answers":{"why":"I could not say why, it just felt natural. I could not say why, it just felt natural."}}}',1750000041920);
INSERT INTO "events" VALUES('5ae033f0a95bda69f29bdc',11,'{"kind":"trial.shown","trial":3,"at_ms":1750000041920,"mono_ms":20568,"data":{}}',1750000042364);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',1,'{"kind":"page.open","trial":0,"at_ms":1750000017266,"mono_ms":0,"data":{}}',1750000020715);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',2,'{"kind":"trial.shown","trial":0,"at_ms":1750000017266,"mono_ms":0,"data":{}}',1750000020715);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',3,'{"kind":"answer.change","trial":0,"at_ms":1750000020211,"mono_ms":2945,"data":{"question":"agree","value":true}}',1750000020715);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',4,'{"kind":"trial.submit","trial":0,"at_ms":1750000020715,"mono_ms":3449,"data":{"answers":{"agree":true}}}',1750000020715);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',5,'{"kind":"trial.shown","trial":1,"at_ms":1750000020715,"mono_ms":3449,"data":{}}',1750000024210);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',6,'{"kind":"answer.change","trial":1,"at_ms":1750000023747,"mono_ms":6481,"data":{"question":"why","value":"The pace never changed."}}',1750000024210);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',7,'{"kind":"trial.submit","trial":1,"at_ms":1750000024210,"mono_ms":6944,"data":{"answers":{"why":"The pace never changed."}}}',1750000024210);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',8,'{"kind":"trial.shown","trial":2,"at_ms":1750000024210,"mono_ms":6944,"data":{}}',1750000027775);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',9,'{"kind":"answer.change","trial":2,"at_ms":1750000027416,"mono_ms":10150,"data":{"question":"why","value":"It moved in a way I did not expect. The pace never changed."}}',1750000027775);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',10,'{"kind":"trial.submit","trial":2,"at_ms":1750000027775,"mono_ms":10509,"data":{"answers":{"why":"It moved in a way I did not expect. The pace never changed."}}}',1750000027775);
INSERT INTO "events" VALUES('d1533ecec28d996d11cf2f',11,'{"kind":"trial.shown","trial":3,"at_ms":1750000027775,"mono_ms":10509,"data":{}}',1750000027967);
CREATE TABLE identities (
	issuer VARCHAR(255) NOT NULL, 
	subject VARCHAR(255) NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_identities PRIMARY KEY (issuer, subject), 
	CONSTRAINT fk_identities_user FOREIGN KEY(user) REFERENCES users (name)
);
CREATE TABLE links (
	token VARCHAR(32) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	label TEXT DEFAULT '' NOT NULL, 
	used_by VARCHAR(32), 
	created_ms BIGINT NOT NULL, 
	CONSTRAINT pk_links PRIMARY KEY (token), 
	CONSTRAINT fk_links_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "links" VALUES('J3oji_KjWjeoDa4QIUNHjw','faces','open','',NULL,1795006870488);
INSERT INTO "links" VALUES('pcdfeQsOQLuY3wsu-JomJQ','faces','preview','',NULL,1795006870488);
INSERT INTO "links" VALUES('dXpEWtnQQ2MpmV-tKZawVg','faces','simulated','',NULL,1795006870488);
CREATE TABLE logins (
	token_hash VARCHAR(64) NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	csrf VARCHAR(32) NOT NULL, 
	created_ms BIGINT NOT NULL, 
	expires_ms BIGINT NOT NULL, 
	CONSTRAINT pk_logins PRIMARY KEY (token_hash), 
	CONSTRAINT fk_logins_user FOREIGN KEY(user) REFERENCES users (name)
);
CREATE TABLE one_time_links (
	token_hash VARCHAR(64) NOT NULL, 
	user VARCHAR(64) NOT NULL, 
	expires_ms BIGINT NOT NULL, 
	used_ms BIGINT, 
	CONSTRAINT pk_one_time_links PRIMARY KEY (token_hash), 
	CONSTRAINT fk_one_time_links_user FOREIGN KEY(user) REFERENCES users (name)
);
INSERT INTO "one_time_links" VALUES('698dc84ca7a32264a4438befd30c416deb5f70d98a56e1a6dd80631be62e2700','anna',1795093271650,NULL);
CREATE TABLE recovery_codes (
	user VARCHAR(64) NOT NULL, 
	code_hash VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY (user, code_hash), 
	CONSTRAINT fk_recovery_codes_user FOREIGN KEY(user) REFERENCES users (name)
);
CREATE TABLE review_answers (
	id INTEGER NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	pool VARCHAR(10) NOT NULL, 
	session VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	ordinal INTEGER NOT NULL, 
	trial_key TEXT NOT NULL, 
	question TEXT NOT NULL, 
	took_ms BIGINT, 
	session_ms BIGINT, 
	pasted INTEGER NOT NULL, 
	digest VARCHAR(32) NOT NULL, 
	alike TEXT NOT NULL, 
	kinds VARCHAR(40) NOT NULL, 
	n_kinds INTEGER NOT NULL, 
	decision VARCHAR(12), 
	CONSTRAINT pk_review_answers PRIMARY KEY (id), 
	CONSTRAINT uq_review_answers_session_position_ordinal UNIQUE (session, position, ordinal), 
	CONSTRAINT fk_review_answers_session FOREIGN KEY(session) REFERENCES sessions (id)
);
CREATE TABLE review_keys (
	"key" BIGINT NOT NULL, 
	answer INTEGER NOT NULL, 
	CONSTRAINT pk_review_keys PRIMARY KEY ("key", answer), 
	CONSTRAINT fk_review_keys_answer FOREIGN KEY(answer) REFERENCES review_answers (id)
)
 WITHOUT ROWID

;
CREATE TABLE review_sessions (
	session VARCHAR(32) NOT NULL, 
	run INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	closed INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	CONSTRAINT pk_review_sessions PRIMARY KEY (session), 
	CONSTRAINT fk_review_sessions_session FOREIGN KEY(session) REFERENCES sessions (id)
);
CREATE TABLE review_states (
	study VARCHAR(64) NOT NULL, 
	pool VARCHAR(10) NOT NULL, 
	fingerprint TEXT NOT NULL, 
	medians TEXT NOT NULL, 
	n_answers INTEGER NOT NULL, 
	withdrawn INTEGER NOT NULL, 
	CONSTRAINT pk_review_states PRIMARY KEY (study, pool), 
	CONSTRAINT fk_review_states_study FOREIGN KEY(study) REFERENCES studies (id)
);
CREATE TABLE round_inputs (
	session VARCHAR(32) NOT NULL, 
	position INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	tick INTEGER NOT NULL, 
	inputs TEXT NOT NULL, 
	CONSTRAINT pk_round_inputs PRIMARY KEY (session, position, run, attempt, tick), 
	CONSTRAINT fk_round_inputs_session FOREIGN KEY(session) REFERENCES sessions (id)
)
 WITHOUT ROWID

;
CREATE TABLE rounds (
	session VARCHAR(32) NOT NULL, 
	position INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	setup TEXT NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	tick INTEGER DEFAULT '0' NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	losses INTEGER DEFAULT '0' NOT NULL, 
	score INTEGER, 
	started_ms BIGINT NOT NULL, 
	ended_ms BIGINT, 
	CONSTRAINT pk_rounds PRIMARY KEY (session, position, run, attempt), 
	CONSTRAINT fk_rounds_session FOREIGN KEY(session) REFERENCES sessions (id)
);
CREATE TABLE second_factors (
	user VARCHAR(64) NOT NULL, 
	nonce VARCHAR(32) NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	confirmed_ms BIGINT, 
	step BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_second_factors PRIMARY KEY (user), 
	CONSTRAINT fk_second_factors_user FOREIGN KEY(user) REFERENCES users (name)
);
CREATE TABLE server_rules (
	name VARCHAR(32) NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_server_rules PRIMARY KEY (name)
);
CREATE TABLE sessions (
	id VARCHAR(32) NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	code_hash VARCHAR(64) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	definition VARCHAR(64) NOT NULL, 
	link_kind VARCHAR(10) NOT NULL, 
	number INTEGER NOT NULL, 
	language VARCHAR(6) NOT NULL, 
	arms TEXT NOT NULL, 
	rows TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	recruiter_hash VARCHAR(64), 
	recruiter_extra TEXT NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	outcome VARCHAR(16), 
	position INTEGER DEFAULT '0' NOT NULL, 
	run INTEGER DEFAULT '0' NOT NULL, 
	run_after_seq INTEGER DEFAULT '0' NOT NULL, 
	wrong_tries INTEGER DEFAULT '0' NOT NULL, 
	tried_seq INTEGER DEFAULT '0' NOT NULL, 
	opened_ms BIGINT NOT NULL, 
	epoch INTEGER DEFAULT '0' NOT NULL, 
	head_seq INTEGER DEFAULT '0' NOT NULL, 
	head_hash VARCHAR(64) NOT NULL, 
	top_seq INTEGER DEFAULT '0' NOT NULL, 
	started_ms BIGINT NOT NULL, 
	seen_ms BIGINT NOT NULL, 
	reserved_until_ms BIGINT NOT NULL, 
	reservation_ms BIGINT NOT NULL, 
	finished_ms BIGINT, 
	rejected BOOLEAN DEFAULT '0' NOT NULL, 
	approved BOOLEAN DEFAULT '0' NOT NULL, 
	excluded BOOLEAN DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT uq_sessions_study_link_kind_number UNIQUE (study, link_kind, number), 
	CONSTRAINT uq_sessions_token_hash UNIQUE (token_hash), 
	CONSTRAINT uq_sessions_code_hash UNIQUE (code_hash), 
	CONSTRAINT fk_sessions_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_sessions_definition FOREIGN KEY(definition) REFERENCES definitions (hash)
);
INSERT INTO "sessions" VALUES('1563c82434fe5c1cbfccdb','d058bbdc060ddd6323d2d0ab52599bc4b25b33ce19dc83b40b19fec8097216d8','3f2ab7f0eff5e2944c2915eebea89ded9f6683274f605cdc3c8150c74caace92','faces','de75fdfd0f78e7e2426a18d822ae86a7142ee1e67233a5d37979b15842e7e726','simulated',1,'en','{"tool": "slow"}','{"pairs": 1}',4243027046698564805,NULL,'{}','finished','complete',3,0,0,0,0,1750000018661,1,11,'7b95ec0e20fa40d68ddef9ff4824ea3ece9a56107fce6a28564f9d2107dd3af1',11,1750000000000,1750000019163,1750007219163,7200000,1750000019163,0,0,0);
INSERT INTO "sessions" VALUES('d1533ecec28d996d11cf2f','4a84fa8b1ff43fd5b310e4aabdbe08a71a912b587393de3c855f28d2da3c04cc','0f72d28af1d0c34c6f51fa5dede2a361c0cc987d107c260a10a54547d85d27e8','faces','de75fdfd0f78e7e2426a18d822ae86a7142ee1e67233a5d37979b15842e7e726','simulated',2,'en','{"tool": "fast"}','{"pairs": 0}',5283347515241357413,NULL,'{}','finished','complete',3,0,0,0,0,1750000027775,1,11,'d46ca76ac4febe2404ecfa0a147d10096550f8b9f5fb33ffbef0049f1b14e9af',11,1750000017266,1750000027967,1750007227967,7200000,1750000027967,0,0,0);
INSERT INTO "sessions" VALUES('5ae033f0a95bda69f29bdc','750a8832b263db87c9fab35597114db2db14913f40e76f38dadd2d22e7b49521','d7e93baf400607d1fb3c424d01c7e3a34e4272226e483db8e943859bcf8890bb','faces','de75fdfd0f78e7e2426a18d822ae86a7142ee1e67233a5d37979b15842e7e726','simulated',3,'en','{"tool": "fast"}','{"pairs": 1}',4750509573707137241,NULL,'{}','finished','complete',3,0,0,0,0,1750000041920,1,11,'292dc9a44120620d4dd64a539280d6d2fd2d61d968276fdb7a834a84da0df92c',11,1750000021352,1750000042364,1750007242364,7200000,1750000042364,0,0,0);
CREATE TABLE strays (
	session VARCHAR(32) NOT NULL, 
	epoch INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	received_ms BIGINT NOT NULL, 
	CONSTRAINT pk_strays PRIMARY KEY (session, epoch, seq), 
	CONSTRAINT fk_strays_session FOREIGN KEY(session) REFERENCES sessions (id)
);
CREATE TABLE studies (
	id VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	definition VARCHAR(64) NOT NULL, 
	created_ms BIGINT NOT NULL, 
	CONSTRAINT pk_studies PRIMARY KEY (id)
);
INSERT INTO "studies" VALUES('faces','A study of before','open','de75fdfd0f78e7e2426a18d822ae86a7142ee1e67233a5d37979b15842e7e726',1795006870488);
CREATE TABLE study_roles (
	user VARCHAR(64) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	role VARCHAR(12) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_study_roles PRIMARY KEY (user, study), 
	CONSTRAINT fk_study_roles_user FOREIGN KEY(user) REFERENCES users (name)
);
INSERT INTO "study_roles" VALUES('anna','faces','researcher',1795006871650);
CREATE TABLE tombstones (
	session VARCHAR(32) NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	link_kind VARCHAR(10) NOT NULL, 
	number INTEGER NOT NULL, 
	withdrawn_ms BIGINT NOT NULL, 
	CONSTRAINT pk_tombstones PRIMARY KEY (session), 
	CONSTRAINT uq_tombstones_token_hash UNIQUE (token_hash)
);
CREATE TABLE trials (
	session VARCHAR(32) NOT NULL, 
	position INTEGER NOT NULL, 
	run INTEGER DEFAULT '0' NOT NULL, 
	"key" TEXT NOT NULL, 
	status VARCHAR(10) NOT NULL, 
	attempts INTEGER DEFAULT '1' NOT NULL, 
	submit_seq INTEGER, 
	answers TEXT NOT NULL, 
	opened_ms BIGINT, 
	closed_ms BIGINT NOT NULL, 
	CONSTRAINT pk_trials PRIMARY KEY (session, position, run), 
	CONSTRAINT fk_trials_session FOREIGN KEY(session) REFERENCES sessions (id)
);
INSERT INTO "trials" VALUES('1563c82434fe5c1cbfccdb',0,0,'consent','done',1,4,'{"agree": true}',1750000000000,1750000005498);
INSERT INTO "trials" VALUES('1563c82434fe5c1cbfccdb',1,0,'pairs.1.judge','done',1,7,'{"why": "It stopped and seemed to think."}',1750000005498,1750000013280);
INSERT INTO "trials" VALUES('1563c82434fe5c1cbfccdb',2,0,'pairs.2.judge','done',1,10,'{"why": "It moved in a way I did not expect."}',1750000013280,1750000018661);
INSERT INTO "trials" VALUES('d1533ecec28d996d11cf2f',0,0,'consent','done',1,4,'{"agree": true}',1750000017266,1750000020715);
INSERT INTO "trials" VALUES('d1533ecec28d996d11cf2f',1,0,'pairs.1.judge','done',1,7,'{"why": "The pace never changed."}',1750000020715,1750000024210);
INSERT INTO "trials" VALUES('d1533ecec28d996d11cf2f',2,0,'pairs.2.judge','done',1,10,'{"why": "It moved in a way I did not expect. The pace never changed."}',1750000024210,1750000027775);
INSERT INTO "trials" VALUES('5ae033f0a95bda69f29bdc',0,0,'consent','done',1,4,'{"agree": true}',1750000021352,1750000028122);
INSERT INTO "trials" VALUES('5ae033f0a95bda69f29bdc',1,0,'pairs.1.judge','done',1,7,'{"why": "It stopped and seemed to think."}',1750000028122,1750000036043);
INSERT INTO "trials" VALUES('5ae033f0a95bda69f29bdc',2,0,'pairs.2.judge','done',1,10,'{"why": "I could not say why, it just felt natural. I could not say why, it just felt natural."}',1750000036043,1750000041920);
CREATE TABLE users (
	name VARCHAR(64) NOT NULL, 
	password_hash TEXT, 
	disabled BOOLEAN DEFAULT '0' NOT NULL, 
	created_ms BIGINT NOT NULL, 
	administrator BOOLEAN DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_users PRIMARY KEY (name)
);
INSERT INTO "users" VALUES('anna',NULL,0,1795006871650,0);
CREATE TABLE writers (
	id VARCHAR(32) NOT NULL, 
	mark VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_writers PRIMARY KEY (id)
);
CREATE INDEX ix_tombstones_study ON tombstones (study);
CREATE INDEX ix_attempts_what_who ON attempts (what, who, at_ms);
CREATE INDEX ix_audit_study ON audit (study, id);
CREATE INDEX ix_audit_session ON audit (session);
CREATE INDEX ix_links_study ON links (study);
CREATE INDEX ix_study_roles_study ON study_roles (study);
CREATE INDEX ix_identities_user ON identities (user);
CREATE INDEX ix_sessions_recruiter ON sessions (study, recruiter_hash);
CREATE INDEX ix_sessions_state ON sessions (study, link_kind, state);
CREATE INDEX ix_coding_texts_session ON coding_texts (session);
CREATE INDEX ix_coding_tasks_coder ON coding_tasks (coder, project);
CREATE INDEX ix_coding_marks_session ON coding_marks (session);
CREATE INDEX ix_coding_outcomes_project ON coding_outcomes (project, round, number);
CREATE INDEX ix_coding_outcomes_session ON coding_outcomes (session);
CREATE INDEX ix_decisions_session ON decisions (session);
CREATE INDEX ix_review_answers_queue ON review_answers (study, pool, n_kinds, number, position, ordinal, decision, kinds, session);
CREATE INDEX ix_review_answers_digest ON review_answers (study, pool, digest);
CREATE INDEX ix_coding_operations_session ON coding_operations (session);
CREATE INDEX ix_coding_strays_session ON coding_strays (session);
CREATE INDEX ix_review_keys_answer ON review_keys (answer);
CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit WHEN NOT (OLD.session IS NOT NULL AND NEW.session IS NULL AND NEW.id = OLD.id AND NEW.user = OLD.user AND NEW.study IS OLD.study AND NEW.at_ms = OLD.at_ms AND NEW.kind = OLD.kind) BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
COMMIT;
