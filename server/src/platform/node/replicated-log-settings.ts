/** Where the replicated log is, from the environment. */
export type ReplicatedLogSettings = {
  /** NATS servers, as `host:port`. */
  servers: readonly string[]
  user: string | undefined
  password: string | undefined
  isTls: boolean
  /** Files with credentials of NATS (an NKey and a JWT), and with the certificate that signed those of the servers. */
  credentialsFile: string | undefined
  caFile: string | undefined
  /** Begins the names of streams and subjects, so that installations can share servers. */
  name: string
  partitions: number
  replicas: number
}
