/** The bare limit: a Fastify that parses the same JSON and replies. A program; prints its address. */
import fastify from 'fastify'

/** The product's own limit for a body. */
const bodyBytesMax = 4 * 1024 * 1024

const app = fastify({ bodyLimit: bodyBytesMax })
app.post('/v1/track', async (_request, reply) => reply.code(202).send({ ok: true }))
app.post('/v1/batch', async () => ({ ok: true }))
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
process.on('SIGTERM', () => void app.close())
