-- The id of the lease under which an upload is sealed, next to `seal_lease_until`. Older releases use the previous name, so they
-- cannot run against this schema.
alter table attachments.attachments rename column seal_token to seal_lease_id;
