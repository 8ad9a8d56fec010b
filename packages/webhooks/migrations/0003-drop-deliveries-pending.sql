-- The index `deliveries_by_endpoint` answers the questions of this release.
-- transaction: none

drop index concurrently if exists webhooks.deliveries_pending;
