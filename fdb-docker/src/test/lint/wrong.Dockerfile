FROM scratch
ADDD x y
HEALTHCHECK --interval=5x CMD ["a"]
ENTRYPOINT ["a"]
ENTRYPOINT ["b"]
