CREATE TABLE alarms (
	id SERIAL NOT NULL, 
	study VARCHAR(64), 
	kind VARCHAR(32) NOT NULL, 
	message TEXT NOT NULL, 
	raised_ms BIGINT NOT NULL, 
	cleared_ms BIGINT, 
	CONSTRAINT pk_alarms PRIMARY KEY (id)
);
--
CREATE TABLE attempts (
	id SERIAL NOT NULL, 
	what VARCHAR(16) NOT NULL, 
	who VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_attempts PRIMARY KEY (id)
);
--
CREATE INDEX ix_attempts_what_who ON attempts (what, who, at_ms);
--
CREATE TABLE audit (
	id SERIAL NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	what TEXT NOT NULL, 
	study VARCHAR(64), 
	at_ms BIGINT NOT NULL, 
	kind VARCHAR(10) DEFAULT 'change' NOT NULL, 
	session VARCHAR(32), 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
--
CREATE INDEX ix_audit_session ON audit (session);
--
CREATE INDEX ix_audit_study ON audit (study, id);
--
CREATE TABLE server_rules (
	name VARCHAR(32) NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_server_rules PRIMARY KEY (name)
);
--
CREATE TABLE studies (
	id VARCHAR(64) NOT NULL, 
	title TEXT NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	definition VARCHAR(64) NOT NULL, 
	created_ms BIGINT NOT NULL, 
	CONSTRAINT pk_studies PRIMARY KEY (id)
);
--
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
--
CREATE INDEX ix_tombstones_study ON tombstones (study);
--
CREATE TABLE users (
	name VARCHAR(64) NOT NULL, 
	password_hash TEXT, 
	disabled BOOLEAN DEFAULT '0' NOT NULL, 
	created_ms BIGINT NOT NULL, 
	administrator BOOLEAN DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_users PRIMARY KEY (name)
);
--
CREATE TABLE writers (
	id VARCHAR(32) NOT NULL, 
	mark VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_writers PRIMARY KEY (id)
);
--
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
--
CREATE TABLE definitions (
	hash VARCHAR(64) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	body TEXT NOT NULL, 
	created_ms BIGINT NOT NULL, 
	plan VARCHAR(64), 
	CONSTRAINT pk_definitions PRIMARY KEY (hash), 
	CONSTRAINT fk_definitions_study FOREIGN KEY(study) REFERENCES studies (id)
);
--
CREATE TABLE identities (
	issuer VARCHAR(255) NOT NULL, 
	subject VARCHAR(255) NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_identities PRIMARY KEY (issuer, subject), 
	CONSTRAINT fk_identities_user FOREIGN KEY("user") REFERENCES users (name)
);
--
CREATE INDEX ix_identities_user ON identities ("user");
--
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
--
CREATE INDEX ix_links_study ON links (study);
--
CREATE TABLE logins (
	token_hash VARCHAR(64) NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	csrf VARCHAR(32) NOT NULL, 
	created_ms BIGINT NOT NULL, 
	expires_ms BIGINT NOT NULL, 
	CONSTRAINT pk_logins PRIMARY KEY (token_hash), 
	CONSTRAINT fk_logins_user FOREIGN KEY("user") REFERENCES users (name)
);
--
CREATE TABLE one_time_links (
	token_hash VARCHAR(64) NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	expires_ms BIGINT NOT NULL, 
	used_ms BIGINT, 
	CONSTRAINT pk_one_time_links PRIMARY KEY (token_hash), 
	CONSTRAINT fk_one_time_links_user FOREIGN KEY("user") REFERENCES users (name)
);
--
CREATE TABLE recovery_codes (
	"user" VARCHAR(64) NOT NULL, 
	code_hash VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_recovery_codes PRIMARY KEY ("user", code_hash), 
	CONSTRAINT fk_recovery_codes_user FOREIGN KEY("user") REFERENCES users (name)
);
--
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
--
CREATE TABLE second_factors (
	"user" VARCHAR(64) NOT NULL, 
	nonce VARCHAR(32) NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	confirmed_ms BIGINT, 
	step BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_second_factors PRIMARY KEY ("user"), 
	CONSTRAINT fk_second_factors_user FOREIGN KEY("user") REFERENCES users (name)
);
--
CREATE TABLE study_roles (
	"user" VARCHAR(64) NOT NULL, 
	study VARCHAR(64) NOT NULL, 
	role VARCHAR(12) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_study_roles PRIMARY KEY ("user", study), 
	CONSTRAINT fk_study_roles_user FOREIGN KEY("user") REFERENCES users (name)
);
--
CREATE INDEX ix_study_roles_study ON study_roles (study);
--
CREATE TABLE coding_books (
	project VARCHAR(64) NOT NULL, 
	version INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	policies TEXT NOT NULL, 
	note TEXT NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_books PRIMARY KEY (project, version), 
	CONSTRAINT fk_coding_books_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
--
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
--
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
--
CREATE INDEX ix_coding_marks_session ON coding_marks (session);
--
CREATE TABLE coding_outcomes (
	id SERIAL NOT NULL, 
	project VARCHAR(64) NOT NULL, 
	round INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	session VARCHAR(32), 
	how VARCHAR(12) NOT NULL, 
	body TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_outcomes PRIMARY KEY (id), 
	CONSTRAINT fk_coding_outcomes_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
--
CREATE INDEX ix_coding_outcomes_project ON coding_outcomes (project, round, number);
--
CREATE INDEX ix_coding_outcomes_session ON coding_outcomes (session);
--
CREATE TABLE coding_rounds (
	project VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	plan TEXT NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	created_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_rounds PRIMARY KEY (project, number), 
	CONSTRAINT fk_coding_rounds_project FOREIGN KEY(project) REFERENCES coding_projects (id)
);
--
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
--
CREATE INDEX ix_coding_tasks_coder ON coding_tasks (coder, project);
--
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
--
CREATE INDEX ix_coding_texts_session ON coding_texts (session);
--
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
--
CREATE INDEX ix_sessions_recruiter ON sessions (study, recruiter_hash);
--
CREATE INDEX ix_sessions_state ON sessions (study, link_kind, state);
--
CREATE TABLE blobs (
	session VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	media_type VARCHAR(64) NOT NULL, 
	body BYTEA NOT NULL, 
	CONSTRAINT pk_blobs PRIMARY KEY (session, name), 
	CONSTRAINT fk_blobs_session FOREIGN KEY(session) REFERENCES sessions (id)
);
--
CREATE TABLE coding_operations (
	log VARCHAR(32) NOT NULL, 
	seq INTEGER NOT NULL, 
	session VARCHAR(32), 
	body TEXT NOT NULL, 
	received_ms BIGINT NOT NULL, 
	CONSTRAINT pk_coding_operations PRIMARY KEY (log, seq), 
	CONSTRAINT fk_coding_operations_log FOREIGN KEY(log) REFERENCES coding_logs (id)
);
--
CREATE INDEX ix_coding_operations_session ON coding_operations (session);
--
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
--
CREATE INDEX ix_coding_strays_session ON coding_strays (session);
--
CREATE TABLE decisions (
	id SERIAL NOT NULL, 
	session VARCHAR(32) NOT NULL, 
	kind VARCHAR(12) NOT NULL, 
	target TEXT DEFAULT '' NOT NULL, 
	reason TEXT NOT NULL, 
	"user" VARCHAR(64) NOT NULL, 
	at_ms BIGINT NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_session FOREIGN KEY(session) REFERENCES sessions (id)
);
--
CREATE INDEX ix_decisions_session ON decisions (session);
--
CREATE TABLE events (
	session VARCHAR(32) NOT NULL, 
	seq INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	received_ms BIGINT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (session, seq), 
	CONSTRAINT fk_events_session FOREIGN KEY(session) REFERENCES sessions (id)
);
--
CREATE TABLE review_answers (
	id SERIAL NOT NULL, 
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
--
CREATE INDEX ix_review_answers_digest ON review_answers (study, pool, digest);
--
CREATE INDEX ix_review_answers_queue ON review_answers (study, pool, n_kinds, number, position, ordinal, decision, kinds, session);
--
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
--
CREATE TABLE round_inputs (
	session VARCHAR(32) NOT NULL, 
	position INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	tick INTEGER NOT NULL, 
	inputs TEXT NOT NULL, 
	CONSTRAINT pk_round_inputs PRIMARY KEY (session, position, run, attempt, tick), 
	CONSTRAINT fk_round_inputs_session FOREIGN KEY(session) REFERENCES sessions (id)
);
--
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
--
CREATE TABLE strays (
	session VARCHAR(32) NOT NULL, 
	epoch INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	received_ms BIGINT NOT NULL, 
	CONSTRAINT pk_strays PRIMARY KEY (session, epoch, seq), 
	CONSTRAINT fk_strays_session FOREIGN KEY(session) REFERENCES sessions (id)
);
--
CREATE TABLE trials (
	session VARCHAR(32) NOT NULL, 
	position INTEGER NOT NULL, 
	run INTEGER DEFAULT '0' NOT NULL, 
	key TEXT NOT NULL, 
	status VARCHAR(10) NOT NULL, 
	attempts INTEGER DEFAULT '1' NOT NULL, 
	submit_seq INTEGER, 
	answers TEXT NOT NULL, 
	opened_ms BIGINT, 
	closed_ms BIGINT NOT NULL, 
	CONSTRAINT pk_trials PRIMARY KEY (session, position, run), 
	CONSTRAINT fk_trials_session FOREIGN KEY(session) REFERENCES sessions (id)
);
--
CREATE TABLE review_keys (
	key BIGINT NOT NULL, 
	answer INTEGER NOT NULL, 
	CONSTRAINT pk_review_keys PRIMARY KEY (key, answer), 
	CONSTRAINT fk_review_keys_answer FOREIGN KEY(answer) REFERENCES review_answers (id)
);
--
CREATE INDEX ix_review_keys_answer ON review_keys (answer);
--
CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''the audit log is only added to''; END';
--
CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_refuse();
--
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit FOR EACH ROW WHEN (NOT (OLD.session IS NOT NULL AND NEW.session IS NULL AND NEW.id = OLD.id AND NEW."user" = OLD."user" AND NEW.study IS NOT DISTINCT FROM OLD.study AND NEW.at_ms = OLD.at_ms AND NEW.kind = OLD.kind)) EXECUTE FUNCTION audit_refuse();
--
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
