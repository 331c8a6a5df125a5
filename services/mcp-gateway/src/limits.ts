/** Every limit of the gateway, with its unit and its reason. */

/** Bytes of one request's body: above what a request may have, so that the answer can say so. */
export const BODY_BYTES_MAX = 4_194_304;
/** Conversations of the older protocol that are kept; the longest silent one makes room. */
export const SESSIONS_MAX = 1_000;
/** ms between signs of life while a call runs: clients give up on silence after a minute. */
export const PROGRESS_EVERY_MS = 10_000;
/**
 * ms after which a call that was not answered yet is answered on a stream: below the minute of silence after which proxies give
 * up. Not sooner: a client whose stream breaks off waits for its own deadline, and one that has heard nothing knows at once.
 */
export const PLAIN_ANSWER_MS = 30_000;
/** ms between signs of life on such a stream: proxies give up on a minute's silence. */
export const ALIVE_EVERY_MS = 15_000;
/** ms that answers under way get to leave when the gateway ends, and ms for telling the rest that none will come. */
export const DRAIN_MS = 2_500;
export const GIVE_UP_MS = 200;
/** Characters of a tool's description that every client takes. */
export const DESCRIPTION_CHARS_MAX = 2_000;
