import { ApiProblem, type CallInput, type Output } from '@assay/contract'
import {
  QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { createContext, useContext, useRef } from 'react'
import type { Call } from './client.ts'
import { Unreachable } from './connection.ts'
import type { RouteName, RouteOf } from './routes.ts'

export type Reading<Data> = UseQueryResult<Data, Error>

/** Whose calls these are: the workspace is part of every remembered answer. */
export const CallContext = createContext<{ call: Call; workspaceId: string } | null>(null)

export function useCall(): { call: Call; workspaceId: string } {
  const context = useContext(CallContext)
  if (context === null) throw new Error('a page is shown inside a workspace only')
  return context
}

/** How long an answer counts as fresh: reports are some seconds behind the events anyway. */
const freshMs = 20_000
const retryMsMax = 5_000
/** Of calls that found the server busy or broken. */
const retriesMax = 2

/** Out of reach: tried until it answers. Refused: not tried again, since the answer would be the same. */
function shouldRetry(count: number, error: Error): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof ApiProblem && error.status >= 500 && count < retriesMax
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: shouldRetry,
        retryDelay: (count) => Math.min(500 * 2 ** count, retryMsMax),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

type ReadOptions = { everyMs?: number | false; isOff?: boolean }
type WatchOptions<Data> = Omit<ReadOptions, 'everyMs'> & {
  /** How often it is asked again; a function says it by the latest answer. */
  everyMs?: number | false | ((data: Data | undefined) => number | false)
}

/** The answer of a route, kept and shared by all who ask the same. */
export function useRead<Name extends RouteName>(
  name: Name,
  input: CallInput<RouteOf<Name>>,
  { everyMs = false, isOff = false }: WatchOptions<Output<RouteOf<Name>>> = {},
): Reading<Output<RouteOf<Name>>> {
  const { call, workspaceId } = useCall()
  return useQuery<Output<RouteOf<Name>>, Error>({
    queryKey: [workspaceId, name, input],
    queryFn: () => call(name, input),
    enabled: !isOff,
    refetchInterval: ({ state }) => (typeof everyMs === 'function' ? everyMs(state.data) : everyMs),
  })
}

type PageOf<Item> = { data: readonly Item[] }
export type Listing<Item> = Reading<readonly Item[]> & { more: (() => void) | null; isLoadingMore: boolean }

/** All pages of a list that were asked for so far, as one list. */
export function useList<Name extends RouteName>(
  name: Name,
  input: (cursor: string | undefined) => CallInput<RouteOf<Name>>,
  { everyMs = false, isOff = false }: ReadOptions = {},
): Listing<Output<RouteOf<Name>> extends PageOf<infer Item> ? Item : never> {
  type Item = Output<RouteOf<Name>> extends PageOf<infer Item> ? Item : never
  const { call, workspaceId } = useCall()
  const queryKey: readonly unknown[] = [workspaceId, name, 'pages', input(undefined)]
  const query = useInfiniteQuery({
    queryKey,
    // The contract defines the items of a page; `itemsOf` narrows them once.
    queryFn: ({ pageParam }): Promise<unknown> => call(name, input(pageParam)),
    initialPageParam: undefined as string | undefined, // boundary: the first page has no cursor.
    getNextPageParam: nextCursor,
    enabled: !isOff,
    refetchInterval: everyMs,
    select: ({ pages }) => pages.flatMap((page) => itemsOf<Item>(page)),
  })
  const more = query.hasNextPage ? () => void query.fetchNextPage() : null
  // boundary: an infinite query with its pages joined is read as any other.
  return { ...query, more, isLoadingMore: query.isFetchingNextPage } as unknown as Listing<Item>
}

function itemsOf<Item>(page: unknown): readonly Item[] {
  // boundary: lists of the contract hold their items in `data`.
  return (page as PageOf<Item>).data
}

function nextCursor(page: unknown): string | undefined {
  // boundary: pages of either surface, by their own spelling.
  const { nextCursor, next_cursor } = page as { nextCursor?: string | null; next_cursor?: string | null }
  return nextCursor ?? next_cursor ?? undefined
}

type Writing<Name extends RouteName> = {
  /** What the server answered; null where it refused. */
  send: (input: CallInput<RouteOf<Name>>) => Promise<Output<RouteOf<Name>> | null>
  isSending: boolean
  error: Error | null
  result: Output<RouteOf<Name>> | null
  reset: () => void
}

/** Something that is changed; afterwards the named reads are asked again. A refusal is kept in `error`. */
export function useWrite<Name extends RouteName>(
  name: Name,
  refreshes: readonly RouteName[] = [],
): Writing<Name> {
  const { call, workspaceId } = useCall()
  const queries = useQueryClient()
  type Answer = Output<RouteOf<Name>>
  const mutation = useMutation<Answer, Error, () => Promise<Answer>>({
    mutationFn: (send) => send(),
    onSuccess: () =>
      Promise.all(refreshes.map((read) => queries.invalidateQueries({ queryKey: [workspaceId, read] }))),
  })
  // A second click on what is on its way already waits for the first.
  const underway = useRef<{ written: string; answer: Promise<Answer | null> } | null>(null)
  const send = (input: CallInput<RouteOf<Name>>) => {
    const written = JSON.stringify(input)
    if (underway.current?.written === written) return underway.current.answer
    const answer = mutation.mutateAsync(() => call(name, input)).catch(() => null)
    const mine = { written, answer }
    underway.current = mine
    void answer.then(() => {
      if (underway.current === mine) underway.current = null
    })
    return answer
  }
  return {
    send,
    isSending: mutation.isPending,
    error: mutation.error,
    result: mutation.data ?? null,
    reset: mutation.reset,
  }
}

/** Asks the named reads again, for what changed without a write of this page. */
export function useRefresh(): (...reads: readonly RouteName[]) => void {
  const { workspaceId } = useCall()
  const queries = useQueryClient()
  return (...reads) => {
    for (const read of reads) void queries.invalidateQueries({ queryKey: [workspaceId, read] })
  }
}
