-- Numbers the attempts to complete an upload. Each attempt copies to a key of its own, so that a late copy cannot replace a
-- completed file. Older releases read only the key of the first attempt, so they cannot run against this schema.
alter table attachments.attachments add column seal_attempt integer not null default 0;
