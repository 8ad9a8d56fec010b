-- A search for the next request must not read those of an endpoint that does not answer. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which endpoint has due requests, and which of them is the first?
create index concurrently deliveries_by_endpoint on webhooks.deliveries ((endpoint_id::text), available_at)
where state = 'pending';
