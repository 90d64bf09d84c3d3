// @ts-check
/**
 * The connection of a round. It comes back by itself after a loss, and says what it hears.
 *
 * @typedef {object} Listener
 * @property {(welcome: any) => void} welcome the round as it stands, at the first connection and after each loss
 * @property {(picture: import("./game.js").Picture) => void} picture
 * @property {(image: ArrayBuffer) => void} [image] what a rendered world looks like, after its picture's words
 * @property {(place: number) => void} [wait] the place in the line; 0 while the game is being prepared
 * @property {(over: {score: number}) => void} over
 * @property {() => void} lost
 * @property {(code: number) => void} refused the server does not let this page go on
 * @typedef {(address: string) => {send: (text: string) => void, close: () => void, onopen: any, onmessage: any, onclose: any,
 *   readyState: number, binaryType?: BinaryType}} OpenSocket
 */

/** Nothing heard for this long while the page was awake: the connection is lost, whatever the browser thinks. */
const SILENCE_MS = 1200;
/** A sign of life at least this often. */
const ALIVE_MS = 100;
const RETRY_MS = [100, 300, 700, 1500];
/** Close codes with which the server says no for good. */
const FINAL = [4400, 4403, 4409, 4500];
const OPEN = 1;

/**
 * @param {string} address
 * @param {{epoch: number, position: number, pictures?: string}} hello
 * @param {Listener} listener
 * @param {{open: OpenSocket, now: () => number, every: (work: () => void, ms: number) => any, stop: (timer: any) => void,
 *   later: (work: () => void, ms: number) => any, beside?: () => object}} outside `beside` goes with every message
 */
export function createWire(
  address,
  hello,
  listener,
  { open, now, every, stop, later, beside = () => ({}) },
) {
  /** @type {ReturnType<OpenSocket> | null} */
  let socket = null;
  let tries = 0;
  /** How long nothing was heard, and when that was last looked at. A page that was held up for a moment has messages waiting. */
  let silent_ms = 0;
  let looked_ms = 0;
  let sent_ms = 0;
  let ended = false;

  function connect() {
    if (ended) return;
    const mine = open(address);
    socket = mine;
    silent_ms = 0;
    mine.onopen = () => mine.send(JSON.stringify({ hello }));
    mine.binaryType = "arraybuffer";
    mine.onmessage = (/** @type {{data: string | ArrayBuffer}} */ { data }) => {
      if (socket !== mine) return;
      if (typeof data === "string") hear(JSON.parse(data));
      else listener.image?.(data);
    };
    mine.onclose = (/** @type {{code: number}} */ { code }) => {
      if (socket === mine) closed(code);
    };
  }

  /** @param {any} message */
  function hear(message) {
    silent_ms = 0;
    if (message.welcome) {
      tries = 0;
      listener.welcome(message.welcome);
    } else if (message.wait) {
      tries = 0;
      listener.wait?.(message.wait.place);
    } else if (message.over) {
      ended = true;
      listener.over(message.over);
    } else listener.picture(message);
  }

  /** @param {number} code */
  function closed(code) {
    socket = null;
    if (ended) return;
    if (FINAL.includes(code)) {
      ended = true;
      listener.refused(code);
      return;
    }
    listener.lost();
    later(connect, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]);
  }

  /** @param {any} message */
  function send(message) {
    if (socket?.readyState !== OPEN) return;
    sent_ms = now();
    socket.send(JSON.stringify({ ...message, ...beside(), q: Math.round(sent_ms * 10) / 10 }));
  }

  const timer = every(() => {
    silent_ms += Math.min(now() - looked_ms, ALIVE_MS);
    looked_ms = now();
    if (ended || !socket) return;
    if (silent_ms > SILENCE_MS) {
      const silent = socket;
      closed(0);
      silent.close();
    } else if (now() - sent_ms >= ALIVE_MS) send({});
  }, ALIVE_MS / 2);
  connect();

  return {
    send,
    close: () => {
      ended = true;
      stop(timer);
      socket?.close();
    },
  };
}
