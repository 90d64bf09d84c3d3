"""The replay player: draws a recording on a canvas at any speed."""
