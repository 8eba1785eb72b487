import { getDemo, removeDemo, startDemo } from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import type { SignIn } from '../auth/sign-in/sign-in.ts'
import type { SignedIn } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Asker } from '../workspaces/own-workspaces.ts'
import type { Demos } from './demo.ts'

type Needs = { demos: Demos; signIn: SignIn }

export function demoRoutes(plane: Plane, { demos, signIn }: Needs): void {
  const askerOf = (caller: SignedIn, request: FastifyRequest): Asker => ({
    userId: caller.userId,
    requestId: request.id,
    country: signIn.deviceOf(request).country,
  })

  serve(plane, getDemo, async ({ caller }) => ({ demo: await demos.find(caller.userId) }))

  serve(plane, startDemo, ({ caller, request }) => demos.start(askerOf(caller, request)))

  serve(plane, removeDemo, ({ caller, request }) => demos.remove(askerOf(caller, request)))
}
