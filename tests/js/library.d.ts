/** The drawing library, which the server answers with: it puts `vegaEmbed` into the window. */
export {};
