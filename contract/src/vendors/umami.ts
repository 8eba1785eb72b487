import {
  type Call,
  filled,
  firstText,
  keyAmong,
  membersOf,
  type Received,
  type Translated,
  textOf,
} from './call.ts'

/** `/api/send`: the id of the website is our key. */
export function fromUmami({ body }: Received): Translated {
  const { type, payload } = membersOf(body)
  const { website, url, hostname, referrer, title, language, screen, name, data, id, tag, timestamp } =
    membersOf(payload)
  const [width, height] = (textOf(screen) ?? '').split('x').map(Number)
  const shared = filled({
    userId: textOf(id),
    timestamp,
    context: filled({
      page: filled({ url: addressOf(url, hostname), referrer, title }),
      locale: textOf(language),
      screen: width && height ? { width, height } : undefined,
    }),
  })
  const properties = filled({ ...membersOf(data), tag: textOf(tag) })
  const call = (): Call => {
    if (type === 'identify') return { ...shared, type: 'identify', traits: membersOf(data) }
    return firstText(name) === undefined
      ? { ...shared, type: 'page', properties }
      : { ...shared, event: name, properties }
  }
  return { key: keyAmong(website), calls: [call()] }
}

/** It sends path and host apart. */
function addressOf(url: unknown, hostname: unknown): unknown {
  const [path, host] = [textOf(url), textOf(hostname)]
  return path?.startsWith('/') === true && host !== undefined ? `https://${host}${path}` : url
}
