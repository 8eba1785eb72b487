-- A delivery is known by its workspace too: rows of another one that name the same connection stand in nobody's way.
DROP INDEX webhook_deliveries_by_body;
DROP INDEX webhook_deliveries_by_vendor_id;
CREATE UNIQUE INDEX webhook_deliveries_by_body ON webhook_deliveries (workspace_id, connection_id, body_hash, item);
CREATE UNIQUE INDEX webhook_deliveries_by_vendor_id
  ON webhook_deliveries (workspace_id, connection_id, vendor_id) WHERE vendor_id IS NOT NULL;
-- What nothing was made of is bounded for each connection.
CREATE INDEX webhook_deliveries_kept ON webhook_deliveries (workspace_id, connection_id, id) WHERE payload IS NOT NULL;
